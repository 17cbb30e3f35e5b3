/** The pages for browsers that may not see a preview, in the look of the start page. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ForbiddenError } from '../../core/errors.ts';
import { sendError } from '../../http/error-replies.ts';
import { escapeHtml, htmlPage, setPageHeaders } from '../../http/home/html.ts';
import { prefersPage } from '../../http/home/unknown-route.ts';
import type { TicketProblem } from './tickets.ts';

const problems: Record<TicketProblem | 'missing', string> = {
  missing: 'The link is not complete: it has no ticket.',
  unknown: 'The ticket of this link is not known here: it is not complete, or the preview was put again since.',
  used: 'This link was opened before, and each link opens once.',
  expired: 'This link has expired: each link can be opened for 60 seconds.',
};

/** Answers a ticket that does not open with a 403, as a page or as JSON. */
export function sendClosedTicket(
  request: IncomingMessage,
  response: ServerResponse,
  name: string,
  problem: TicketProblem | 'missing',
): void {
  const text = problems[problem];
  if (prefersPage(request)) return sendPage(response, 'This link does not open', text, name);
  sendError(request, response, new ForbiddenError(`${text} ${newLink(name)}`, undefined, { ticket: problem }));
}

/** Answers a browser that has neither a token nor a valid cookie with a 403. */
export function sendLockedPage(response: ServerResponse, name: string): void {
  const text = `The preview “${name}” is not public, and this browser was not let in, or not since the preview was put again or the server started.`;
  sendPage(response, 'This preview needs a link', text, name);
}

function newLink(name: string): string {
  return `Get a new link with POST /_contents/${name}/ticket on the admin port.`;
}

function sendPage(response: ServerResponse, title: string, text: string, name: string): void {
  const page = Buffer.from(
    htmlPage(
      title,
      `<h1>${title}</h1>
<p>${escapeHtml(text)}</p>
<p>Open the preview again from the tool that you edit with: it gets a new link each time.</p>
<p class="quiet">For programs: <code>POST /_contents/${escapeHtml(name)}/ticket</code> on the admin port answers with a new link,
and a reader that sends the preview’s token as <code>Authorization: Bearer …</code> needs none.</p>`,
    ),
  );
  setPageHeaders(response);
  response.writeHead(403, { 'Content-Length': page.length });
  response.end(page);
}
