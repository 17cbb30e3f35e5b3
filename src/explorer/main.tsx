import { render } from 'preact';

render(<h1>Explorer</h1>, document.body);
