import { openedPreview } from '../lib/lectern.js';

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
        {children}
      </body>
    </html>
  );
}
