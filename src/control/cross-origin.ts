import { WORLD_HEADER } from '../http/paths.ts'

/** The request headers that a page of an allowed origin may send. */
export const SENT_HEADERS: string = `Authorization, Content-Type, Last-Event-ID, ${WORLD_HEADER}`

/** The response headers that let a page of an allowed origin read the response. */
export function corsHeaders(origin: string): Readonly<Record<string, string>> {
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': 'Location, WWW-Authenticate',
    Vary: 'Origin',
  }
}
