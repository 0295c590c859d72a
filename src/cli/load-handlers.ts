import { readdir, readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Contract } from '../contract/contract.ts'
import type { Handlers } from '../handlers/define-handlers.ts'
import { type HandlerMistake, selectHandlers } from '../handlers/select-handlers.ts'
import { isObject } from '../validation/objects.ts'
import { UsageError } from '../validation/usage-error.ts'
import {
  importModule,
  type LoadGuard,
  type ModuleContent,
  shownFile,
  unusable,
  withoutVersions,
} from './import-module.ts'
import { describeSystemError } from './system-error.ts'

const CODE = /\.m?[jt]s$/
const NOT_CODE = /\.d\.m?ts$|\.(test|spec)\.m?[jt]s$/

/**
 * Loads the handlers of a file, or of all files of a folder that have a default export. Rejects with a UsageError that names the file and,
 * where it is known, the line.
 */
export async function loadHandlers(
  path: string,
  contract: Contract,
  onRead: (path: string) => void,
  guard?: LoadGuard,
): Promise<Handlers> {
  onRead(resolve(path))
  const files = await filesAt(path)
  const isFolder = files.length !== 1 || resolve(path) !== files[0]
  const loaded: Handlers[] = []
  for (const file of files) {
    onRead(file)
    const module = await importModule(file, CONTENT, onRead, guard)
    const handlers: unknown = isObject(module) ? Reflect.get(module, 'default') : undefined
    if (handlers === undefined && isFolder) continue
    if (isHandlers(handlers)) loaded.push(await checked(handlers, contract, file))
    else
      throw unusable(file, CONTENT, {
        reason: 'it has no default export with handlers',
        help: WRITE,
      })
  }
  if (loaded.length === 0)
    throw unusable(path, CONTENT, { reason: 'no file in it has a default export', help: WRITE })
  return loaded.flat()
}

const CONTENT: ModuleContent = { what: 'the handlers', code: 'unusable_handlers' }
const WRITE = 'Write: export default defineHandlers({ … }).'

function isHandlers(value: unknown): value is Handlers {
  return isObject(value) || Array.isArray(value)
}

async function filesAt(path: string): Promise<readonly string[]> {
  const found = await stat(path).catch((error: unknown) => {
    throw unusable(path, CONTENT, { reason: describeSystemError(error) })
  })
  if (!found.isDirectory()) return [resolve(path)]
  const names = await readdir(path)
  return names
    .filter((name) => CODE.test(name) && !NOT_CODE.test(name))
    .sort()
    .map((name) => resolve(path, name))
}

/** Checks the handlers of a file, so that a mistake names it. */
async function checked(handlers: Handlers, contract: Contract, file: string): Promise<Handlers> {
  try {
    selectHandlers(handlers, contract)
    return handlers
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    const { task, reason, suggestion, allowed, help, location: name } = error
    const code = (await readFile(file, 'utf8')).split('\n')
    const line = name === undefined ? -1 : code.findIndex((text) => text.includes(name))
    const location = line === -1 ? shownFile(file) : `${shownFile(file)}:${line + 1}`
    throw new UsageError({
      code: error.code,
      task,
      reason,
      location,
      suggestion,
      allowed,
      help,
      cause: error,
    })
  }
}

/** Writes each mistake of a handler once: a line, and the stack of what was thrown. */
export function mistakeWriter(
  output: Pick<NodeJS.WriteStream, 'write'>,
): (mistake: HandlerMistake) => void {
  const written = new Set<string>()
  return ({ kind, message, error }) => {
    if (written.has(message)) return
    written.add(message)
    const stack = kind === 'error' && error instanceof Error ? `\n${error.stack}` : ''
    output.write(withoutVersions(`pet-sandbox: ${message}${stack}\n`))
  }
}
