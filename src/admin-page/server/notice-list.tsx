import { Isolated } from '../../explorer/controls/isolated.tsx';
import { visibleText } from '../../explorer/controls/visible-text.ts';
import { MissingRight } from '../controls/problem.tsx';
import type { Notice } from '../state/notices.ts';

const words = { error: 'Error', warning: 'Warning', note: 'Note' };

interface NoticeListProps {
  readonly notices: readonly Notice[];
  /** Whether the token may see warnings about contents. */
  readonly showsContent: boolean;
}

/** What an operator should know, the worst first. */
export function NoticeList({ notices, showsContent }: NoticeListProps) {
  return (
    <section aria-labelledby="warnings">
      <h2 id="warnings">Warnings</h2>
      {!showsContent && <MissingRight right="contents" to="see warnings about contents" />}
      {notices.length === 0 && <p class="nothing">There are none.</p>}
      <ul class="notices">
        {notices.map((notice) => (
          <li key={`${notice.content} ${notice.title}`} class={`notice is-${notice.level}`}>
            <NoticeText {...notice} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function NoticeText({ level, content, title, text }: Notice) {
  const head = (
    <>
      <strong>{words[level]}</strong> {content !== null && <Isolated text={`${content}: `} />}
      <Isolated text={title} />
    </>
  );
  // warnings about content may be long, and there may be many
  if (level !== 'warning' || text === '') {
    return (
      <>
        <p>{head}</p>
        {text !== '' && <p class="message-text">{visibleText(text)}</p>}
      </>
    );
  }
  return (
    <details>
      <summary>{head}</summary>
      <p class="message-text">{visibleText(text)}</p>
    </details>
  );
}
