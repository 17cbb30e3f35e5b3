import { read } from '../lib/lectern.js';
import { page } from '../lib/page.js';

export default page(async function Home() {
  const articles = await read('/api/articles?fields=title,slug&sort=title');
  return (
    <ul>
      {articles.map(({ documentId, title, slug }) => (
        <li key={documentId}>
          <a href={`/articles/${slug}`}>{title ?? slug}</a>
        </li>
      ))}
    </ul>
  );
});
