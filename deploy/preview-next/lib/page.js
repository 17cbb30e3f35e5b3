import { PreviewError } from './lectern.js';

/** Makes a page that shows why a preview cannot be read. Next would hide the reason in production. */
export const page = (Page) =>
  async function PageOrReason(props) {
    try {
      return await Page(props);
    } catch (error) {
      if (!(error instanceof PreviewError)) throw error;
      return <p role="alert">The preview cannot be shown: {error.message}</p>;
    }
  };
