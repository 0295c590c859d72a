import {
  access,
  constants,
  type FileHandle,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
} from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { UsageError } from '../../validation/usage-error.ts'
import { targetOf, whyOf } from './path.ts'

/** A file that holds one JSON document: always a whole one, whenever the process or the machine ends. */
export class StateFile {
  /** As the developer wrote it. */
  readonly name: string
  /** Where it is: a symbolic link is followed, and stays one. */
  readonly path: string
  /** The permissions of the file that was there. A new one holds API keys, which are its owner's business. */
  #mode: number | undefined

  private constructor(name: string, path: string) {
    this.name = name
    this.path = path
  }

  /** Rejects with a UsageError where a file cannot be. */
  static async at(name: string): Promise<StateFile> {
    try {
      return new StateFile(name, await targetOf(name))
    } catch (cause) {
      throw unwritable(name, cause)
    }
  }

  /** The document; `undefined` where there is no file. Rejects with a UsageError for what holds none. */
  async read(): Promise<unknown> {
    const text = await this.#text()
    if (text === undefined) return undefined
    if (text.trim() === '') throw refused(this.name, 'it is empty')
    try {
      return JSON.parse(text)
    } catch (cause) {
      throw refused(this.name, 'it is damaged, and holds no JSON', cause)
    }
  }

  /** A UsageError for a document that is there, and cannot be used. */
  refuse(why: string, cause: unknown, advice?: string): UsageError {
    return refused(this.name, why, cause, advice)
  }

  /**
   * Puts the text in place of the file. It is on the disk once this resolves. Rejects with a UsageError when it cannot be
   * written, and leaves the file as it was.
   */
  async write(text: string): Promise<void> {
    const temporary = `${this.path}.${process.pid}.tmp`
    try {
      await this.#writeWhole(temporary, text)
      await rename(temporary, this.path)
      await syncFolder(dirname(this.path))
    } catch (cause) {
      await rm(temporary, { force: true }).catch(() => undefined)
      throw unwritable(this.name, cause)
    }
  }

  /** Removes what processes that were killed had begun to write. */
  async sweep(): Promise<void> {
    const folder = dirname(this.path)
    const isLeft = (file: string): boolean =>
      file.startsWith(basename(this.path)) &&
      /^\.\d+\.tmp$/.test(file.slice(basename(this.path).length))
    const left = (await readdir(folder)).filter(isLeft)
    await Promise.all(left.map((file) => rm(join(folder, file), { force: true })))
  }

  async #text(): Promise<string | undefined> {
    try {
      const found = await stat(this.path)
      if (found.isDirectory()) throw refused(this.name, 'it is a folder')
      if (!found.isFile()) throw refused(this.name, 'it is no regular file')
      this.#mode = found.mode & 0o777
      await access(this.path, constants.W_OK)
      return await readFile(this.path, 'utf8')
    } catch (cause) {
      if (cause instanceof UsageError) throw cause
      if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined
      throw refused(this.name, whyOf(cause), cause)
    }
  }

  async #writeWhole(file: string, text: string): Promise<void> {
    // Never through a link that somebody else has put there.
    const handle = await open(file, 'wx', this.#mode ?? 0o600)
    try {
      if (this.#mode !== undefined) await handle.chmod(this.#mode)
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
  }
}

/** A UsageError for a file that cannot be written. */
export function unwritable(name: string, cause: unknown): UsageError {
  return new UsageError({
    code: 'unwritable_state',
    task: `keep the state in ${name}`,
    reason: whyOf(cause),
    help: 'Correct that, or name another file.',
    cause,
  })
}

/** The rename is on the disk only once the folder is. */
async function syncFolder(folder: string): Promise<void> {
  let handle: FileHandle
  try {
    handle = await open(folder, 'r')
  } catch (cause) {
    // Windows opens no folders, and needs none of this.
    if (process.platform === 'win32') return
    throw cause
  }
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function refused(
  name: string,
  why: string,
  cause?: unknown,
  advice = 'Move it away to start anew.',
): UsageError {
  return new UsageError({
    code: 'unusable_state',
    task: `start from the state in ${name}`,
    reason: why,
    help: advice,
    cause,
  })
}
