import { CONTROL_PATH } from '../../http/control-path.ts'

/**
 * Throws a TypeError for the URL of a request that would reach another address than the one that is written, and for one of the
 * control interface. The paths of recorded requests and of documents are written by others, who must not steer the sandbox through
 * the page. `site` is the address of the server.
 */
export function requireApiAddress(url: string, site: string): void {
  if (isAltered(url)) {
    throw new TypeError('Browsers alter the path of this request. Copy it as curl instead.')
  }
  const control = new URL(site + CONTROL_PATH).pathname
  if (`${new URL(url).pathname}/`.startsWith(`${control}/`)) {
    throw new TypeError('This is an address of the control interface, not of the API.')
  }
}

/** Whether clients alter the path of a URL. They resolve dot segments, and leave out what follows a hash sign. */
export function isAltered(url: string): boolean {
  if (!URL.canParse(url)) return true
  const [, path = ''] = /^\w+:\/\/[^/?#]*([^?]*)/.exec(url) ?? []
  return escaped(new URL(url).pathname) !== escaped(path || '/')
}

/** A path whose characters are escaped, as far as they can be. Escaping it again changes nothing. */
function escaped(path: string): string {
  return encodeURI(path.replace(/\p{Surrogate}/gu, '\uFFFD')).replaceAll('%25', '%')
}
