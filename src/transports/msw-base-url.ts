import { UsageError } from '../validation/usage-error.ts'

/** A parsed base URL of handlers, for comparison with request URLs. */
export interface BaseUrl {
  /** The base URL as given, with `*` for every origin. */
  readonly text: string
  /**
   * The possible base paths of a request: one path, or, with a wildcard, every matching start of the request's path, the
   * shortest first. Empty for a request to another origin; `undefined` for the base path of the contract.
   */
  basePaths(origin: string, pathname: string): readonly (string | undefined)[]
}

/** These paths at every origin. The sandbox finds the base path of a request itself. */
export function everyOrigin(paths: readonly string[]): BaseUrl {
  return {
    text: `*${paths.join('/*, *')}`,
    basePaths: (origin) => (isHttpOrigin(origin) ? [undefined] : []),
  }
}

function isHttpOrigin(origin: string): boolean {
  return /^https?:/.test(origin)
}

/** Parses base URLs in the syntax of MSW. Throws a UsageError for an empty list and for an invalid URL. */
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
  if (/[?#]/.test(url)) throw invalidBaseUrl(url, 'it has a query or a fragment', 'Leave that out.')
  const [origin, path] = split(url)
  const parameter = path.split('/').find((segment) => segment.startsWith(':'))
  if (parameter !== undefined) {
    throw invalidBaseUrl(url, `it has the path parameter "${parameter}"`, 'Write "*" instead.')
  }
  if (origin === '') return toBaseUrl(path, isOwnOrigin, path)
  if (origin === '*') return toBaseUrl(url.replace(/\/+$/, ''), isHttpOrigin, path)

  return toBaseUrl(url.replace(/\/+$/, ''), toPattern(origin), path)
}

/** Origin and percent-encoded path. The origin is empty for a path alone. */
function split(url: string): readonly [origin: string, path: string] {
  if (/^\/(?![/\\])/.test(url)) return ['', pathOf(url)]
  const [, origin = '', path = ''] =
    /^(https?:\/\/[^/\\]+|\*(?::\/\/)?[^/\\]*)(.*)$/is.exec(url) ?? []
  if (!isOrigin(origin)) {
    throw invalidBaseUrl(
      url,
      'it is not an http or https URL, a path or a pattern',
      'Write it as https://api.example.com/v1, /v1 or */v1.',
    )
  }
  const { origin: written } = origin.includes('*')
    ? { origin: origin.toLowerCase() }
    : new URL(origin)
  // As in MSW, a wildcard extends beyond the origin: `*/v1` matches at every depth.
  return [written, (origin.endsWith('*') ? '*' : '') + pathOf(path)]
}

/** Whether a text is an http or https origin when its wildcards are replaced with text. */
function isOrigin(text: string): boolean {
  const filled = text.replace(/^\*(?::\/\/|\.)?/, 'http://').replaceAll('*', '1')
  return text === '*' || (text !== '' && URL.canParse(filled))
}

function pathOf(text: string): string {
  return new URL(text || '/', 'http://localhost').pathname.replace(/\/+$/, '')
}

/** Whether an origin is the page's own. Without a page, every origin is. */
function isOwnOrigin(origin: string): boolean {
  const own = globalThis.location?.origin ?? 'null'
  return own === 'null' ? isHttpOrigin(origin) : origin === own
}

function toBaseUrl(
  text: string,
  isOriginMatch: (origin: string) => boolean,
  path: string,
): BaseUrl {
  if (!path.includes('*')) {
    return { text, basePaths: (origin) => (isOriginMatch(origin) ? [path] : []) }
  }
  const matches = toPattern(path)

  return {
    text,
    basePaths: (origin, pathname) =>
      isOriginMatch(origin) ? startsOf(pathname).filter(matches) : [],
  }
}

/** The starts of a path that end before a slash, and the whole path. */
function startsOf(pathname: string): readonly string[] {
  const slashes = [...pathname.matchAll(/\//g)].map(({ index }) => index)
  return [...slashes, pathname.length].map((end) => pathname.slice(0, end))
}

/** A matcher for a pattern in which `*` stands for any text. It takes linear time, unlike a RegExp. */
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

function invalidBaseUrl(url: string, reason: string, help: string): UsageError {
  return new UsageError({
    code: 'invalid_base_url',
    task: `use "${url}" as baseUrl`,
    reason,
    help,
  })
}
