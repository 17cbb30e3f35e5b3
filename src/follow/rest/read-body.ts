/** Maximum size of a reply, in bytes. A page of entries is far smaller. */
const maxBytes = 256 * 2 ** 20;

/** Returns the text of a reply, or null if it is larger than 256 MiB. Rejects if the connection breaks. */
export async function readBody(reply: Response): Promise<string | null> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  if (!reply.body) return text;
  for await (const chunk of reply.body) {
    bytes += chunk.length;
    // leaving the loop cancels the reply
    if (bytes > maxBytes) return null;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
