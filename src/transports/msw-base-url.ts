import { UsageError } from '../validation/usage-error.ts'

/** An address at which handlers answer, ready to be compared with those of requests. */
export interface BaseUrl {
  /** As it was written, with `*` for every origin. */
  readonly text: string
  /**
   * What can be the base path of a request: one path, or with a wildcard every start of the request's path that fits, the
   * shortest first. Empty for a request to another origin.
   */
  basePaths(origin: string, pathname: string): readonly string[]
}

/** Where every origin is meant. */
const EVERY_ORIGIN = /^https?:/

/** The base address of a contract's path at every origin. */
export function everyOrigin(path: string): BaseUrl {
  return toBaseUrl(`*${path}`, (origin) => EVERY_ORIGIN.test(origin), path)
}

/** Reads base addresses as MSW's users write them. Throws a UsageError for an empty list, and for what is no such address. */
export function readBaseUrls(urls: readonly (string | URL)[]): readonly BaseUrl[] {
  if (urls.length > 0) return urls.map((url) => readBaseUrl(String(url)))
  throw new UsageError({
    code: 'invalid_base_url',
    task: 'create handlers',
    reason: 'baseUrl is an empty list',
    help: 'Leave it out to match every origin.',
  })
}

function readBaseUrl(url: string): BaseUrl {
  if (/[?#]/.test(url)) throw wrongBase(url, 'it has a query or a fragment', 'Leave that out.')
  const [origin, path] = split(url)
  const parameter = path.split('/').find((segment) => segment.startsWith(':'))
  if (parameter !== undefined) {
    throw wrongBase(url, `it has the path parameter "${parameter}"`, 'Write "*" instead.')
  }
  if (origin === '') return toBaseUrl(path, isOwnOrigin, path)
  if (origin === '*')
    return toBaseUrl(url.replace(/\/+$/, ''), (other) => EVERY_ORIGIN.test(other), path)

  return toBaseUrl(url.replace(/\/+$/, ''), toPattern(origin), path)
}

/** Origin and path, the latter percent-encoded. The origin is empty in a relative address. */
function split(url: string): readonly [origin: string, path: string] {
  if (/^\/(?![/\\])/.test(url)) return ['', pathOf(url)]
  const [, origin = '', path = ''] =
    /^(https?:\/\/[^/\\]+|\*(?::\/\/)?[^/\\]*)(.*)$/is.exec(url) ?? []
  if (!isOrigin(origin)) {
    throw wrongBase(
      url,
      'it is not an http or https URL, a path or a pattern',
      'Write it as https://api.example.com/v1, /v1 or */v1.',
    )
  }
  const { origin: written } = origin.includes('*')
    ? { origin: origin.toLowerCase() }
    : new URL(origin)
  // As in MSW, a wildcard goes beyond the origin: `*/v1` is at every depth.
  return [written, (origin.endsWith('*') ? '*' : '') + pathOf(path)]
}

/** With any text for the wildcards, it must be an address. */
function isOrigin(text: string): boolean {
  const filled = text.replace(/^\*(?::\/\/|\.)?/, 'http://').replaceAll('*', '1')
  return text === '*' || (text !== '' && URL.canParse(filled))
}

function pathOf(text: string): string {
  return new URL(text || '/', 'http://localhost').pathname.replace(/\/+$/, '')
}

/** In a page, the page's own; where there is no page, every one. */
function isOwnOrigin(origin: string): boolean {
  const own = globalThis.location?.origin ?? 'null'
  return own === 'null' ? EVERY_ORIGIN.test(origin) : origin === own
}

function toBaseUrl(text: string, isHere: (origin: string) => boolean, path: string): BaseUrl {
  if (!path.includes('*')) {
    return { text, basePaths: (origin) => (isHere(origin) ? [path] : []) }
  }
  const fits = toPattern(path)

  return {
    text,
    basePaths: (origin, pathname) => (isHere(origin) ? startsOf(pathname).filter(fits) : []),
  }
}

/** The starts of a path that end before a slash, and all of it. */
function startsOf(pathname: string): readonly string[] {
  const slashes = [...pathname.matchAll(/\//g)].map(({ index }) => index)
  return [...slashes, pathname.length].map((end) => pathname.slice(0, end))
}

/** Whether a text fits a pattern in which `*` stands for any text. Takes time in proportion to the text, unlike a RegExp. */
function toPattern(pattern: string): (text: string) => boolean {
  const [start = '', ...rest] = pattern.split(/\*+/)
  const end = rest.pop()
  if (end === undefined) return (text) => text === pattern

  return (text) => {
    if (!text.startsWith(start)) return false
    let at = start.length
    for (const part of rest) {
      const found = text.indexOf(part, at)
      if (found === -1) return false
      at = found + part.length
    }
    return text.length - end.length >= at && text.endsWith(end)
  }
}

function wrongBase(url: string, reason: string, help: string): UsageError {
  return new UsageError({
    code: 'invalid_base_url',
    task: `use "${url}" as baseUrl`,
    reason,
    help,
  })
}
