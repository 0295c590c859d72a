import { readFile, realpath, stat } from 'node:fs/promises'
import { dirname, extname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { download } from './download.ts'
import { Mistakes, type ReadError } from './mistake.ts'
import { parseSource, type Source } from './source.ts'

/** How a document is read, and what it may refer to in addition to the files of its own folder. */
export interface LoadOptions {
  /** Files of OpenAPI overlays, which are applied to the document in this order. */
  readonly overlays?: readonly string[]
  /** Reads `$ref`s to `http:` and `https:` URLs; off by default. */
  readonly remoteRefs?: boolean
  /** Reads `$ref`s to files outside the document's folder; off by default. */
  readonly outsideRefs?: boolean
}

/** Reads the document that the developer named. */
export async function readRoot(file: string): Promise<Source> {
  const readError: ReadError = (reason, help) => new Mistakes([{ reason, location: file, help }])
  if (/^https?:/.test(file)) {
    throw readError('it is a URL, not a file', 'Download the document and pass the file.')
  }
  const path = resolve(file)
  const text = await readText(path, readError)

  return parseNonEmpty(file, pathToFileURL(path), text)
}

/** A `$ref` to a file that has not been read yet. */
export interface FileReference {
  /** The `$ref` as it is written. */
  readonly ref: string
  readonly url: URL
  readonly from: Source
  /** The location of the `$ref`, such as `books.yaml:11:30`. */
  readonly location: string
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
    if (!options.remoteRefs) throw readError('points to another server', REMOTE_HELP)
    return parseNonEmpty(url.href, url, await download(url, readError))
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
    if ((await stat(path)).isDirectory()) {
      throw readError('it is a folder', 'Name the OpenAPI document in it.')
    }
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Mistakes) throw error
    const { code } = error as NodeJS.ErrnoException
    throw code === 'ENOENT'
      ? readError('the file does not exist', 'Check the path.')
      : readError(`the operating system reports ${code}`, 'Check the file and its permissions.')
  }
}
