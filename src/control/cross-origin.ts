import type { Ask, Reply } from '../message.ts'

/** What an invited page may read of every answer. */
export function corsHeaders(origin: string): Readonly<Record<string, string>> {
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': 'Location, WWW-Authenticate',
    Vary: 'Origin',
  }
}

/** The answer to OPTIONS, which is leave for an invited page (Fetch, CORS-preflight). */
export function preflight(methods: string, ask: Ask): Reply {
  const isFromPublicPage = ask.header('access-control-request-private-network') === 'true'

  return {
    status: 204,
    headers: {
      Allow: methods,
      'Access-Control-Allow-Methods': methods,
      'Access-Control-Allow-Headers': 'Authorization, Content-Type, Last-Event-ID',
      'Access-Control-Max-Age': '600',
      ...(isFromPublicPage && { 'Access-Control-Allow-Private-Network': 'true' }),
    },
    body: '',
  }
}
