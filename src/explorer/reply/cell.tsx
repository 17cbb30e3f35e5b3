import { Isolated } from '../controls/isolated.tsx';
import { useExplored } from '../state/explored.ts';
import { isObject, linkOf, summaryOf, thumbnailOf } from './summaries.ts';

/** The longest text of a cell. The tree shows all of it. */
const longest = 300;

/** A value in a cell of a table, on one line. */
export function Cell({ value }: { readonly value: unknown }) {
  const { schema } = useExplored();
  if (value === null || value === undefined) return <span class="nothing">–</span>;
  if (typeof value === 'string') return <Text text={value} />;
  if (typeof value !== 'object') return <span class={typeof value}>{String(value)}</span>;
  const files = (Array.isArray(value) ? value : [value]).slice(0, 4);
  const pictures = files.map((file) => thumbnailOf(file, schema)).filter((url) => url !== null);
  const summary = summaryOf(value, longest);
  return (
    <span class="nested" title={summary}>
      {Array.isArray(value) && <span class="size">{value.length}</span>}
      {pictures.map((url) => (
        <img
          key={url}
          src={url}
          alt=""
          loading="lazy"
          width="28"
          height="28"
          // the name of the file says as much as the mark of a missing picture
          onError={({ currentTarget }) => {
            currentTarget.hidden = true;
          }}
        />
      ))}
      <Isolated text={summary === '' && isObject(value) ? '{}' : summary} />
    </span>
  );
}

/** A text as it is. An absolute URL is a link. */
export function Text({ text }: { readonly text: string }) {
  const link = linkOf(text);
  const shown = text.length > longest ? `${text.slice(0, longest)}…` : text;
  if (link === null) return <Isolated text={shown} title={shown} />;
  return (
    <a href={link} target="_blank" rel="noreferrer">
      <Isolated text={shown} />
    </a>
  );
}
