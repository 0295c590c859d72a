import type { Pair, SampleRequest } from '../../sandbox/sample-request/sample-request.ts'
import { shellQuoted } from '../shell.ts'

/** A curl command that can be pasted into a POSIX shell. */
export function curlCommand({ method, url, headers, cookies, user, body }: SampleRequest): string {
  const usual = body ? 'POST' : 'GET'
  const words = [
    'curl -i',
    ...(method === usual ? [] : [`-X ${shellQuoted(method)}`]),
    ...(user === undefined ? [] : [`-u ${shellQuoted(user)}`]),
    ...headers.map(([name, value]) => `-H ${shellQuoted(`${name}: ${value}`)}`),
    ...(cookies.length > 0 ? [`-b ${shellQuoted(cookieHeader(cookies))}`] : []),
    ...(body ? [`-H ${shellQuoted(`Content-Type: ${body.mediaType}`)}`] : []),
    ...(body ? [`--data-raw ${shellQuoted(body.text)}`] : []),
    shellQuoted(url),
  ]
  return words.join(' ')
}

/** The same as a web request. Throws a TypeError for a method or header that `fetch` does not allow. */
export function toWebRequest({
  method,
  url,
  headers: given,
  cookies,
  user,
  body,
}: SampleRequest): Request {
  const headers = new Headers(given.map(([name, value]): [string, string] => [name, value]))
  if (user !== undefined)
    headers.set('Authorization', `Basic ${Buffer.from(user).toString('base64')}`)
  if (cookies.length > 0) headers.set('Cookie', cookieHeader(cookies))
  if (body) headers.set('Content-Type', body.mediaType)

  return new Request(url, { method, headers, ...(body && { body: body.text }) })
}

function cookieHeader(cookies: readonly Pair[]): string {
  return cookies.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('; ')
}
