import { readFile, realpath, stat } from 'node:fs/promises'
import { dirname, extname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { decodeComponent } from '../contract/parse-text.ts'
import { BodyTooLongError, readBodyText } from '../http/body-limits.ts'
import { UsageError } from '../validation/usage-error.ts'
import { type Credentials, download, MAX_BYTES, tooLarge } from './download.ts'
import type { LoadOptions } from './load-options.ts'
import { Mistakes, type Place, type ReadError } from './mistake.ts'
import { parseSource } from './parse-text.ts'
import type { Source } from './source.ts'

/** The name of standard input on the command line. */
const STANDARD_INPUT = '-'

/** Reads the document that the developer named: a file, a URL, or `-` for standard input. */
export async function readRoot(file: string, options: LoadOptions = {}): Promise<Source> {
  const readError: ReadError = (reason, help) => new Mistakes([{ reason, location: file, help }])
  if (isUrl(file)) return readUrl(file, options, readError)
  if (file === STANDARD_INPUT) {
    const text = await readStandardInput(readError)
    // Files that it refers to are relative to the working directory.
    return parseNonEmpty('<stdin>', pathToFileURL(resolve('stdin')), text)
  }
  const path = resolve(file)
  options.onRead?.(path)
  const text = await readText(path, readError)

  return parseNonEmpty(file, pathToFileURL(path), text)
}

async function readUrl(file: string, options: LoadOptions, readError: ReadError): Promise<Source> {
  if (!URL.canParse(file)) {
    throw readError('it is not a valid URL', 'Write it as https://example.com/openapi.json.')
  }
  const credentials = credentialsFor(file, options)
  const { url, text } = await download(
    new URL(file),
    { credentials, canLeaveOrigin: true },
    readError,
  )

  return parseNonEmpty(file, url, text)
}

/** Only the origin that the developer named gets the headers. */
function credentialsFor(named: string, { headers }: LoadOptions): Credentials | undefined {
  if (!headers || !isUrl(named)) return undefined
  try {
    return { origin: new URL(named).origin, headers: Object.fromEntries(new Headers(headers)) }
  } catch {
    // The message of the error would contain the value, which may be secret.
    throw new UsageError({
      code: 'invalid_option',
      task: `send the headers ${Object.keys(headers).join(', ')}`,
      reason: 'HTTP does not allow one of the names or values',
      help: 'Use visible characters of ASCII only.',
    })
  }
}

/** A `$ref` to a file that has not been read yet. */
export interface FileReference {
  /** The `$ref` as it is written. */
  readonly ref: string
  readonly url: URL
  readonly from: Source
  /** The place of the `$ref`. */
  readonly location: Place
}

const REMOTE_HELP = 'Save a copy next to the document, or allow it with --allow-remote-refs.'
const OUTSIDE_HELP = 'Move the file next to the document, or allow it with --allow-outside-refs.'
const LOCAL_HELP = `Refer to a file in the document's folder.`

/** Reads a file that a document refers to. Throws `Mistakes` when the document must not refer to it. */
export async function readReferenced(
  { ref, url, from, location }: FileReference,
  root: Source,
  options: LoadOptions,
): Promise<Source> {
  const readError: ReadError = (reason, help) =>
    new Mistakes([{ reason: `the $ref "${ref}" ${reason}`, location, help }])
  if (url.protocol === 'http:' || url.protocol === 'https:') {
    const canLeaveOrigin = options.remoteRefs ?? false
    if (!canLeaveOrigin && url.origin !== root.url.origin) {
      throw readError('points to another server', REMOTE_HELP)
    }
    const credentials = credentialsFor(root.name, options)
    const failed: ReadError = (reason, help) => readError(`cannot be downloaded: ${reason}`, help)
    const { text } = await download(url, { credentials, canLeaveOrigin }, failed)
    return parseNonEmpty(url.href, url, text)
  }
  if (url.protocol !== 'file:' || from.url.protocol !== 'file:') {
    throw readError('points to a URL that the document must not read', LOCAL_HELP)
  }

  const path = toPath(url)
  if (path === undefined) throw readError('is not the URL of a local file', LOCAL_HELP)
  const folder = dirname(fileURLToPath(root.url))
  if (!['.yaml', '.yml', '.json'].includes(extname(path).toLowerCase())) {
    throw readError('is neither a YAML nor a JSON file', 'Refer to a .yaml, .yml or .json file.')
  }
  if (!options.outsideRefs) await assertWithin(folder, path, readError)
  await assertFinite(path, readError)
  options.onRead?.(path)
  const text = await readText(path, (reason, help) => readError(`cannot be read: ${reason}`, help))

  return parseNonEmpty(join(dirname(root.name), relative(folder, path)), url, text)
}

/** The path of a local file; `undefined` for a file of another machine, and for a name with an encoded slash. */
function toPath(url: URL): string | undefined {
  try {
    return fileURLToPath(url)
  } catch {
    return undefined
  }
}

function parseNonEmpty(name: string, url: URL, text: string): Source {
  const source = parseSource(name, url, text)
  if (source.value !== null) return source
  const help = 'Write an OpenAPI document into it.'
  throw new Mistakes([{ reason: 'the file is empty', location: name, help }])
}

async function assertWithin(folder: string, path: string, readError: ReadError): Promise<void> {
  if (!isWithin(folder, path)) {
    throw readError(`points outside the document's folder`, OUTSIDE_HELP)
  }
  const real = await realpath(path).catch(() => undefined)
  if (real !== undefined && !isWithin(await realpath(folder), real)) {
    throw readError(`leaves the document's folder through a symbolic link`, OUTSIDE_HELP)
  }
}

function isWithin(folder: string, path: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

/** Reading a pipe or a device may never end. The developer may name one, a document must not. */
async function assertFinite(path: string, readError: ReadError): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (!found || found.isFile() || found.isDirectory()) return
  throw readError('points to a pipe, a socket or a device', LOCAL_HELP)
}

async function readText(path: string, readError: ReadError): Promise<string> {
  try {
    const found = await stat(path)
    if (found.isDirectory()) throw readError('it is a folder', 'Name the OpenAPI document in it.')
    if (found.size > MAX_BYTES) throw tooLarge(readError)
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Mistakes) throw error
    const { code } = error as NodeJS.ErrnoException
    throw code === 'ENOENT'
      ? readError('the file does not exist', 'Check the path.')
      : readError(`the operating system reports ${code}`, 'Check the file and its permissions.')
  }
}

let input: Promise<string> | undefined

/** Reads standard input to its end, once: later calls return the same text. */
async function readStandardInput(readError: ReadError): Promise<string> {
  if (process.stdin.isTTY) {
    const help = 'Send a document to it, for example by "cat api.yaml | pet-sandbox -".'
    throw readError('standard input is a terminal', help)
  }
  input ??= readBodyText({ body: streamOf(process.stdin) }, MAX_BYTES)
  const text = await input.catch((error: unknown) => {
    throw error instanceof BodyTooLongError
      ? tooLarge(readError)
      : readError('standard input cannot be read', 'Name a file instead of "-".')
  })
  if (text.trim() !== '') return text
  throw readError(
    'standard input is empty',
    'Send a document to it, for example by "cat api.yaml | pet-sandbox -".',
  )
}

function streamOf(stream: NodeJS.ReadStream): ReadableStream<Uint8Array> {
  const chunks = stream[Symbol.asyncIterator]()

  return new ReadableStream({
    async pull(controller): Promise<void> {
      const { done = false, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(typeof value === 'string' ? Buffer.from(value) : value)
    },
    cancel: () => void stream.destroy(),
  })
}

/** Whether a document is named by its URL. */
function isUrl(file: string): boolean {
  return /^https?:\/\//i.test(file)
}

/** The name of a document without the credentials of its URL, and the options with these as a header. It can be printed. */
export function splitCredentials(
  file: string,
  options: LoadOptions,
): { readonly file: string; readonly options: LoadOptions } {
  const url = isUrl(file) && URL.canParse(file) ? new URL(file) : undefined
  if (!url || (url.username === '' && url.password === '')) return { file, options }
  const pair = [url.username, url.password].map(decodeComponent).join(':')
  url.username = ''
  url.password = ''
  const authorization = `Basic ${Buffer.from(pair).toString('base64')}`

  return { file: url.href, options: { ...options, headers: { authorization, ...options.headers } } }
}
