import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

/** Answers some requests, and passes the others on. */
export interface RequestHandler {
  /** Answers a request, or calls `otherwise` when it is for something else. */
  serve(request: IncomingMessage, response: ServerResponse, otherwise: () => void): void
}

/** A listener that lets a handler answer first. */
export function inFrontOf(
  listener: RequestListener,
  handler: RequestHandler | undefined,
): RequestListener {
  if (!handler) return listener
  return (request, response) =>
    handler.serve(request, response, () => void listener(request, response))
}
