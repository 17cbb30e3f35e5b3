import { notFound } from 'next/navigation';
import { read } from '../../../lib/lectern.js';

/** Pages are made at their first request, and kept. */
export const dynamicParams = true;
export const generateStaticParams = async () => [];

export default async function Article({ params }) {
  const { slug } = await params;
  const query = new URLSearchParams({ 'filters[slug][$eq]': slug, fields: 'title,text' });
  const [article] = await read(`/api/articles?${query}`);
  if (!article) notFound();
  return (
    <article>
      <h1>{article.title}</h1>
      <p>{article.text}</p>
    </article>
  );
}
