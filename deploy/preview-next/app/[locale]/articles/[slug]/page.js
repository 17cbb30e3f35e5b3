export { default, generateStaticParams } from '../../../articles/[slug]/page.js';
