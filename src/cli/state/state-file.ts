import {
  access,
  constants,
  type FileHandle,
  open,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  stat,
} from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { UsageError } from '../../validation/usage-error.ts'
import { describeSystemError, refusedBySystem, systemErrorCode } from '../system-error.ts'

/** A file with one JSON document. The document is always complete, even if the process or the machine crashes. */
export class StateFile {
  /** The name as the developer wrote it. */
  readonly name: string
  /** The real path. A symbolic link is followed and stays a link. */
  readonly path: string
  /** The permissions of an existing file. Only the owner can read a new file, because it contains API keys. */
  #mode: number | undefined

  private constructor(name: string, path: string) {
    this.name = name
    this.path = path
  }

  /** Rejects with a UsageError when the path is not valid. */
  static async at(name: string): Promise<StateFile> {
    try {
      return new StateFile(name, await resolveTarget(name))
    } catch (cause) {
      throw unwritable(name, cause)
    }
  }

  /** The document; `undefined` when there is no file. Rejects with a UsageError for a file that is not JSON. */
  async read(): Promise<unknown> {
    const text = await this.#text()
    if (text === undefined) return undefined
    if (text.trim() === '') throw refused(this.name, 'the file is empty')
    try {
      return JSON.parse(text)
    } catch (cause) {
      throw refused(this.name, 'the file is damaged: it is not valid JSON', cause)
    }
  }

  /** The UsageError of a document that cannot be used. */
  refuse(reason: string, cause: unknown, help?: string): UsageError {
    return refused(this.name, reason, cause, help)
  }

  /**
   * Replaces the content of the file. It is on the disk when this resolves. Rejects with a UsageError, and does not change the
   * file, when it cannot be written.
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

  /** Removes the temporary files of killed processes. */
  async removeTemporaryFiles(): Promise<void> {
    const folder = dirname(this.path)
    const isTemporary = (file: string): boolean =>
      file.startsWith(basename(this.path)) &&
      /^\.\d+\.tmp$/.test(file.slice(basename(this.path).length))
    const files = (await readdir(folder)).filter(isTemporary)
    await Promise.all(files.map((file) => rm(join(folder, file), { force: true })))
  }

  async #text(): Promise<string | undefined> {
    try {
      const found = await stat(this.path)
      if (found.isDirectory()) throw refused(this.name, 'it is a folder')
      if (!found.isFile()) throw refused(this.name, 'it is not a regular file')
      this.#mode = found.mode & 0o777
      await access(this.path, constants.W_OK)
      return await readFile(this.path, 'utf8')
    } catch (cause) {
      if (cause instanceof UsageError) throw cause
      if (systemErrorCode(cause) === 'ENOENT') return undefined
      throw refused(this.name, describeSystemError(cause), cause)
    }
  }

  async #writeWhole(file: string, text: string): Promise<void> {
    // "wx" never writes through a symbolic link of another user.
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

/** The UsageError of a file that cannot be written. */
export function unwritable(name: string, cause: unknown): UsageError {
  return refusedBySystem(cause, {
    code: 'unwritable_state',
    task: `save the state to ${name}`,
    help: 'Correct this, or name another file.',
    reasons: { ENOENT: 'its folder does not exist' },
  })
}

/** A rename is only on the disk when its folder is. */
async function syncFolder(folder: string): Promise<void> {
  let handle: FileHandle
  try {
    handle = await open(folder, 'r')
  } catch (cause) {
    // Windows cannot open folders, and does not need this.
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
  reason: string,
  cause?: unknown,
  help = 'Move the file away to start with a new state.',
): UsageError {
  return new UsageError({
    code: 'unusable_state',
    task: `restore the state from ${name}`,
    reason,
    help,
    cause,
  })
}

/** The real path of a file that may not exist yet. Its folder must exist. Symbolic links are followed. */
async function resolveTarget(path: string): Promise<string> {
  const existing = await realpath(path).catch(undefinedIfMissing)
  if (existing !== undefined) return existing
  const folder = await realpath(dirname(resolve(path)))
  const link = await readlink(path).catch(() => undefined)

  return link === undefined ? join(folder, basename(path)) : resolveTarget(resolve(folder, link))
}

function undefinedIfMissing(error: unknown): undefined {
  if (systemErrorCode(error) !== 'ENOENT') throw error
}
