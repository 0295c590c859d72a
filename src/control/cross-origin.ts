import { WORLD_HEADER } from '../http/world-path.ts'

/** The headers that an invited page may send. */
export const SENT_HEADERS: string = `Authorization, Content-Type, Last-Event-ID, ${WORLD_HEADER}`

/** The headers that let an invited page read an answer. */
export function corsHeaders(origin: string): Readonly<Record<string, string>> {
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': 'Location, WWW-Authenticate',
    Vary: 'Origin',
  }
}
