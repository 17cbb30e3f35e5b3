import { notFound } from 'next/navigation';
import { read } from '../../../lib/lectern.js';
import { page } from '../../../lib/page.js';

/** Pages are made at their first request, and kept. */
export const generateStaticParams = async () => [];

/** The page of an article in the default locale, and below /LOCALE in another one. */
export default page(async function Article({ params }) {
  const { slug, locale } = await params;
  const query = new URLSearchParams({ 'filters[slug][$eq]': slug, ...(locale && { locale }) });
  const [article] = await read(`/api/articles?${query}`);
  if (!article) notFound();
  const text = [article.body, article.description].find((value) => typeof value === 'string');
  return (
    <article lang={article.locale ?? undefined}>
      <h1>{article.title ?? slug}</h1>
      <p>{text}</p>
    </article>
  );
});
