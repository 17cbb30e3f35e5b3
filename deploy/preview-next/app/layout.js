import { openedPreview } from '../lib/preview.js';
import { Refresh } from './refresh.js';

export const metadata = { title: 'A magazine' };

export default async function Layout({ children }) {
  const name = await openedPreview();
  return (
    <html lang="en">
      <body>
        {name && (
          <p role="status">
            You see the preview “{name}”. <a href="/api/preview">Leave it</a>
          </p>
        )}
        {name && process.env.EDITOR_ORIGIN && <Refresh origin={process.env.EDITOR_ORIGIN} />}
        {children}
      </body>
    </html>
  );
}
