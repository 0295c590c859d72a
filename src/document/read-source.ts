import { readFile, realpath, stat } from 'node:fs/promises'
import { dirname, extname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { BodyTooLong, MEBIBYTE, readBody } from '../http/read-body.ts'
import { Mistakes } from './mistake.ts'
import { parseSource, type Source } from './source.ts'

/** What a document may refer to beyond the files of its own folder. */
export interface LoadOptions {
  /** Read `$ref`s to `http:` and `https:` addresses; off by default. */
  readonly remoteRefs?: boolean
  /** Read `$ref`s to files outside the document's folder; off by default. */
  readonly outsideRefs?: boolean
}

/** Says of a file, where it is named, why it is not read. */
type Refusal = (why: string, advice: string) => Mistakes

/** Reads the document that the developer named. */
export async function readRoot(file: string): Promise<Source> {
  if (/^https?:/.test(file)) {
    const advice = 'Download it and name the file.'
    throw new Mistakes([{ why: 'it is an address, not a file', place: file, advice }])
  }
  const path = resolve(file)
  const text = await readText(path, (why, advice) => new Mistakes([{ why, place: file, advice }]))

  return parseFilled(file, pathToFileURL(path), text)
}

/** A `$ref` to a file that was not read yet. */
export interface Reference {
  /** As it is written. */
  readonly ref: string
  readonly url: URL
  readonly from: Source
  /** Where it stands, as `books.yaml:11:30`. */
  readonly place: string
}

const REMOTE_ADVICE = 'Save a copy beside the document, or allow it with --allow-remote-refs.'
const OUTSIDE_ADVICE = 'Move the file beside the document, or allow it with --allow-outside-refs.'

/** Reads what a document refers to; refuses what it may not refer to. */
export async function readReferenced(
  { ref, url, from, place }: Reference,
  root: Source,
  options: LoadOptions,
): Promise<Source> {
  const refusal: Refusal = (why, advice) =>
    new Mistakes([{ why: `the $ref "${ref}" ${why}`, place, advice }])
  if (url.protocol === 'http:' || url.protocol === 'https:') {
    if (!options.remoteRefs) throw refusal('points to another server', REMOTE_ADVICE)
    return parseFilled(url.href, url, await download(url, refusal))
  }
  if (url.protocol !== 'file:' || from.url.protocol !== 'file:') {
    throw refusal('is no file that the document may read', 'Refer to a file in its folder.')
  }

  const path = fileOf(url)
  if (path === undefined) throw refusal('names no file', 'Refer to a file in its folder.')
  const folder = dirname(fileURLToPath(root.url))
  if (!['.yaml', '.yml', '.json'].includes(extname(path).toLowerCase())) {
    throw refusal('is neither a YAML nor a JSON file', 'Refer to a .yaml, .yml or .json file.')
  }
  if (!options.outsideRefs) await keepWithin(folder, path, refusal)
  await keepFinite(path, refusal)
  const text = await readText(path, (why, advice) => refusal(`cannot be read: ${why}`, advice))

  return parseFilled(join(dirname(root.name), relative(folder, path)), url, text)
}

/** The path of a file; nothing for one of another machine, and for a name with an encoded slash. */
function fileOf(url: URL): string | undefined {
  try {
    return fileURLToPath(url)
  } catch {
    return undefined
  }
}

function parseFilled(name: string, url: URL, text: string): Source {
  const source = parseSource(name, url, text)
  if (source.value !== null) return source
  throw new Mistakes([{ why: 'it is empty', place: name, advice: 'Write an OpenAPI document.' }])
}

async function keepWithin(folder: string, path: string, refusal: Refusal): Promise<void> {
  if (!isWithin(folder, path)) throw refusal('points outside the folder', OUTSIDE_ADVICE)
  const real = await realpath(path).catch(() => undefined)
  if (real !== undefined && !isWithin(await realpath(folder), real)) {
    throw refusal('leads outside the folder through a link', OUTSIDE_ADVICE)
  }
}

function isWithin(folder: string, path: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

/** A pipe may never be written to, a device never end. The developer may name one, a document may not. */
async function keepFinite(path: string, refusal: Refusal): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (!found || found.isFile() || found.isDirectory()) return
  throw refusal('points to a pipe, a socket or a device', 'Refer to a file in its folder.')
}

async function readText(path: string, refusal: Refusal): Promise<string> {
  try {
    if ((await stat(path)).isDirectory()) {
      throw refusal('it is a folder', 'Name the OpenAPI document in it.')
    }
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Mistakes) throw error
    const { code } = error as NodeJS.ErrnoException
    throw code === 'ENOENT'
      ? refusal('there is no such file', 'Check the name.')
      : refusal(`the system says ${code}`, 'Check that you may read it.')
  }
}

/** The longest file that is read from another server, in bytes after decompression. */
const LONGEST_DOWNLOAD = 64 * MEBIBYTE

/** Reads a file of another server, head and body, within ten seconds. */
async function download(url: URL, refusal: Refusal): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(10_000) }).catch(() => undefined)
  if (!response) throw refusal('cannot be reached', 'Check the address and your connection.')
  if (!response.ok) {
    await response.body?.cancel()
    throw refusal(`is answered with ${response.status}`, 'Check the address.')
  }

  return readBody(response, LONGEST_DOWNLOAD).catch((error: unknown) => {
    throw error instanceof BodyTooLong
      ? refusal(
          `is answered with more than ${LONGEST_DOWNLOAD / MEBIBYTE} MiB`,
          'Save the part that is needed beside the document.',
        )
      : refusal('is not answered to the end', 'Check the address and your connection.')
  })
}
