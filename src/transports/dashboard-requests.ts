import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { prefersHtml } from '../http/headers.ts'
import { type CoreResponse, pathBelow } from '../http/message.ts'
import { CONTROL_PATH, chooseWorld } from '../http/paths.ts'
import { problems } from '../http/problem.ts'
import { routerOf, type ServedSandbox } from '../sandbox/router.ts'
import { getOwn } from '../validation/objects.ts'
import { splitTarget } from './client-url.ts'
import type { RequestHandler } from './node-request.ts'
import { send, sendUnwritable } from './write-response.ts'

/** The path of the files that the page loads. */
const FILES_PATH = `${CONTROL_PATH}/dashboard`

/** What a request wants: a file of the dashboard, or a page at another address. */
type Wanted = { readonly file: string } | { readonly location: string }

/** Where the page has the secret. */
const SECRET_MARK = '%SECRET%'

/**
 * Serves the dashboard whose files are in the folder to browsers. It contains no data, so that everyone may load it. Without the
 * page, it answers nothing. The page has the secret with which it uses the control interface.
 */
export function createDashboard(
  sandbox: ServedSandbox,
  folder: string,
  secret: string,
): RequestHandler {
  return {
    serve: (request, response, otherwise) => {
      const wanted = wantedBy(request, sandbox)
      if (!wanted) return void otherwise(request, response)
      respond(wanted, folder, request, secret)
        .then((answer) => (answer ? send(answer, response) : void otherwise(request, response)))
        .catch((error: unknown) => sendUnwritable(error, response))
    },
  }
}

function wantedBy(request: IncomingMessage, sandbox: ServedSandbox): Wanted | undefined {
  const { method, url = '', headers } = request
  if (method !== 'GET' && method !== 'HEAD') return undefined
  const [path] = splitTarget(url)
  const file = pathBelow(FILES_PATH, path)
  if (file) return { file: file.slice(1) }
  const below = path === '/' ? '' : pathBelow(CONTROL_PATH, path)
  if (below === undefined || !prefersHtml(headers.accept)) return undefined
  if (path === '/' && isInApi(sandbox)) return undefined
  if (below === '') return { file: PAGE }
  // The page refers to its files by relative addresses, which need this address without the slash.
  if (below === '/') return { location: `..${CONTROL_PATH}` }

  return worldPage(below)
}

/** Whether the API has operations at the root of the server. */
function isInApi(sandbox: ServedSandbox): boolean {
  return (
    routerOf(sandbox)
      .resolveMount('/', () => undefined)
      ?.exists() ?? false
  )
}

/** The address of the page for a world. It is relative, because a proxy may have removed a prefix of the path. */
function worldPage(below: string): Wanted | undefined {
  const { name, prefix, rest } = chooseWorld(below)
  if (name === undefined || prefix === '' || !['', '/'].includes(rest)) return undefined
  const up = rest === '' ? '../..' : '../../..'

  return { location: `${up}${CONTROL_PATH}#/traffic?world=${encodeURIComponent(name)}` }
}

/** `undefined` when the dashboard was not built. */
async function respond(
  wanted: Wanted,
  folder: string,
  { headers }: IncomingMessage,
  secret: string,
): Promise<CoreResponse | undefined> {
  const name = 'file' in wanted ? wanted.file : PAGE
  const answer = await filePage(folder, name, name === PAGE ? {} : headers)
  if (!answer) return name === PAGE ? undefined : fileNotFound(name)
  if ('location' in wanted) {
    const varied = { 'Cache-Control': 'no-cache', Vary: 'Accept' }
    return { status: 302, headers: { Location: wanted.location, ...varied }, body: '' }
  }
  return name === PAGE ? withSecret(answer, secret, headers) : answer
}

/**
 * The page with the secret, for a browser that opens it in a tab. Other pages of the origin must not read it: a script, a frame and a
 * worker have other destinations (Fetch Metadata), the page separates itself from those that opened it, and caches do not keep it.
 */
function withSecret(
  { status, headers: { ETag: _changes, ...headers }, body }: CoreResponse,
  secret: string,
  { 'sec-fetch-dest': destination, 'sec-fetch-mode': mode }: IncomingMessage['headers'],
): CoreResponse {
  const isTab = destination === 'document' && mode === 'navigate'
  const varied = { 'Cache-Control': 'no-store', Vary: 'Accept, Sec-Fetch-Dest, Sec-Fetch-Mode' }
  const page = body.toString().replace(SECRET_MARK, isTab ? secret : '')

  return { status, headers: { ...headers, ...varied }, body: page }
}

function fileNotFound(name: string): CoreResponse {
  return problems.notFound(`The dashboard has no file ${name}.`).toResponse()
}

/** The file that is the page. */
const PAGE = 'index.html'

/** Names of files, and of files in folders. No segment begins with a dot, so that no path leaves the folder. */
const FILE_NAME = /^\w[\w-]*(?:[./]\w[\w-]*)*$/

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
}

/** The page loads only its own files, sends requests only to its own server, and is shown in no frame. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const HEADERS = {
  // A browser asks each time whether the file has changed.
  'Cache-Control': 'no-cache',
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
}

/**
 * The response with a file of a folder; `undefined` when there is no such file. A client that has the file gets a 304, and one that
 * takes brotli or gzip gets the file compressed.
 */
async function filePage(
  folder: string,
  name: string,
  request: IncomingMessage['headers'],
): Promise<CoreResponse | undefined> {
  const type = getOwn(TYPES, extname(name))
  if (type === undefined || !FILE_NAME.test(name)) return undefined
  const body = await readFile(join(folder, name)).catch(() => undefined)
  if (!body) return undefined
  const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
  // Weak: a compressed file has other bytes (RFC 9110, section 8.8.1).
  const headers = { ...HEADERS, ETag: `W/${tag}`, Vary: 'Accept-Encoding' }
  if (hasTag(request['if-none-match'], tag)) return { status: 304, headers, body: '' }
  const typed = { ...headers, 'Content-Type': type }
  const coding = acceptedCoding(request['accept-encoding'])
  if (coding === undefined) return { status: 200, headers: typed, body }

  return {
    status: 200,
    headers: { ...typed, 'Content-Encoding': coding },
    body: await compressed(tag, coding, body),
  }
}

type Coding = 'br' | 'gzip'

const COMPRESS: Readonly<Record<Coding, (body: Buffer) => Promise<Buffer>>> = {
  br: (body) => promisify(brotliCompress)(body, BROTLI_OPTIONS),
  gzip: (body) => promisify(gzip)(body, { level: 9 }),
}

/** With more, the page waits for seconds of a busy machine until a few hundred bytes less are sent. */
const BROTLI_OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

/** The smallest coding that the client takes. Browsers take brotli only by HTTPS and on the own machine, and gzip everywhere. */
function acceptedCoding(accepted: string | string[] | undefined = ''): Coding | undefined {
  const codings = String(accepted).split(',')
  const takes = (coding: Coding): boolean => codings.some((one) => isWeighted(one, coding))
  if (takes('br')) return 'br'

  return takes('gzip') ? 'gzip' : undefined
}

/** Whether a part of `Accept-Encoding` names the coding with a weight above 0 (RFC 9110, section 12.5.3). */
function isWeighted(part: string, coding: Coding): boolean {
  const [name = '', weight = 'q=1'] = part.split(';').map((one) => one.trim().toLowerCase())
  return name === coding && !/^q\s*=\s*0(?:\.0*)?$/.test(weight)
}

/** Files that change often, as while the page is developed, are compressed again. */
const MAX_COMPRESSED = 100
const compressedFiles = new Map<string, Promise<Buffer>>()

/** The file with this tag, compressed once. */
function compressed(tag: string, coding: Coding, body: Buffer): Promise<Buffer> {
  const id = `${coding} ${tag}`
  const known = compressedFiles.get(id)
  if (known !== undefined) return known
  if (compressedFiles.size >= MAX_COMPRESSED) compressedFiles.clear()
  const file = COMPRESS[coding](body)
  compressedFiles.set(id, file)

  return file
}

/** Whether `If-None-Match` has the tag, by weak comparison (RFC 9110, section 13.1.2). */
function hasTag(known: string | undefined, tag: string): boolean {
  const tags = (known ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''))
  return tags.includes(tag) || tags.includes('*')
}
