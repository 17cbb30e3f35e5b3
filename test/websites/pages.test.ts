import { expect, test } from 'vitest';
import { withStreamedParts } from './pages.ts';

test('the parts that React sends late stand in their places', () => {
  const streamed =
    '<main><!--$?--><template id="B:0"></template><p>Loading</p><!--/$--></main><footer><!--$?--><template id="B:1"></template><!--/$--></footer>' +
    '<div hidden id="S:3">end</div><script>later()</script>' +
    '<div hidden id="S:0"><h1>Title</h1><template id="P:1"></template></div><script>$RC=(b,a)=>b<a;$RC("B:0","S:0")</script>' +
    '<div hidden id="S:1"><div>text</div></div><script>$RS("S:1","P:1")</script>' +
    '<script>$RR("B:1","S:3",[["one.css"]])</script>';
  const text = withStreamedParts(streamed).replaceAll(/<script>.*?<\/script>|<!--.*?-->/g, '');
  expect(text).toBe('<main><h1>Title</h1><div>text</div></main><footer>end</footer>');
});

test('a page that was sent at once is unchanged', () => {
  const page = '<main><!--$--><h1>Title</h1><!--/$--></main><script>$RC("B:0","S:0")</script>';
  expect(withStreamedParts(page)).toBe(page);
});
