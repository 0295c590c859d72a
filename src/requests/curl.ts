import { cookieHeader, type OutgoingRequest } from './outgoing-request.ts'

/** A curl command that can be pasted into a POSIX shell. `quote` writes a word of the command. */
export function curlCommand(
  { method, url, headers, cookies, user, body }: OutgoingRequest,
  quote: (text: string) => string = shellQuoted,
): string {
  const sent = body ? [...headers, ['Content-Type', body.type] as const] : headers
  return [
    'curl -i',
    ...methodOption(method, body !== undefined, quote),
    ...(user === undefined ? [] : [`-u ${quote(user)}`]),
    ...sent.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(cookies.length > 0 ? [`-b ${quote(cookieHeader(cookies))}`] : []),
    ...(body ? [`--data-raw ${quote(body.text)}`] : []),
    quote(url),
  ].join(' ')
}

function methodOption(
  method: string,
  hasBody: boolean,
  quote: (text: string) => string,
): readonly string[] {
  if (method === 'GET' && !hasBody) return []
  if (method === 'HEAD') return ['-I']
  // A method of OpenAPI 3.2 may have characters that a shell interprets, such as `.
  return [`-X ${/^[A-Z]+$/.test(method) ? method : quote(method)}`]
}

/** Text in single quotes, in which a POSIX shell changes nothing. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
