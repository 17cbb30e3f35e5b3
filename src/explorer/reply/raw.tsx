import { useEffect, useMemo, useState } from 'preact/hooks';
import { Isolated } from '../controls/isolated.tsx';
import { RawLines } from './raw-lines.ts';
import { useRowWindow } from './use-row-window.ts';

const rowHeight = 20;

/** So many characters are looked at in one go, which takes a few milliseconds. */
const step = 500_000;

/** The body of a reply, one line for each member. */
export function RawView({ text }: { readonly text: string }) {
  const lines = useLines(text);
  const { box, window } = useRowWindow(lines.length, rowHeight);
  const { first, end, top, height } = window;
  const shown = Array.from({ length: Math.max(0, end - first) }, (_, i) => lines.line(first + i));
  return (
    <section class="reply-box raw" ref={box} tabIndex={0} aria-label="Reply as JSON">
      <div class="canvas" style={{ height: `${height}px` }}>
        <div style={{ transform: `translateY(${top}px)` }}>
          {shown.map(({ start, end: stop, depth }, i) => (
            <div key={first + i} class="raw-line">
              <span class="line-number">{first + i + 1}</span>
              <span style={{ paddingInlineStart: `${depth * 2}ch` }}>
                <RawText text={text.slice(start, stop)} />
              </span>
            </div>
          ))}
        </div>
      </div>
    </section>
  );
}

function RawText({ text }: { readonly text: string }) {
  const named = /^("(?:[^"\\]|\\.)*"):/.exec(text);
  if (!named) return <Isolated text={text} />;
  return (
    <>
      <span class="json-key">
        <Isolated text={named[1]} />
      </span>
      {': '}
      <Isolated text={text.slice(named[0].length)} />
    </>
  );
}

/** Finds the lines of a text, in steps between which the page can draw. */
function useLines(text: string): RawLines {
  const lines = useMemo(() => {
    const begun = new RawLines(text);
    begun.scan(step);
    return begun;
  }, [text]);
  const [, setLength] = useState(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const go = () => {
      if (lines.isComplete) return;
      lines.scan(step);
      setLength(lines.length);
      timer = setTimeout(go);
    };
    go();
    return () => clearTimeout(timer);
  }, [lines]);
  return lines;
}
