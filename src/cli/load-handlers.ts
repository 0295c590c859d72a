import { execFile } from 'node:child_process'
import { readdir, readFile, stat } from 'node:fs/promises'
import { register } from 'node:module'
import { extname, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads'
import type { Contract } from '../contract/contract.ts'
import type { Handlers } from '../handlers/define-handlers.ts'
import { type HandlerMistake, selectHandlers } from '../handlers/select-handlers.ts'
import { isObject } from '../validation/objects.ts'
import { UsageError } from '../validation/usage-error.ts'
import { describeSystemError, systemErrorCode } from './system-error.ts'

/** Imports a module anew, with what it imports. Calls `onRead` with the path of each file. */
type Importer = (file: string, onRead: (path: string) => void) => Promise<unknown>

const CODE = /\.m?[jt]s$/
const NOT_CODE = /\.d\.m?ts$|\.(test|spec)\.m?[jt]s$/
const TYPESCRIPT = /\.m?ts$/

/**
 * Loads the handlers of a file, or of all files of a folder that have a default export. Rejects with a UsageError that names the file and,
 * where it is known, the line.
 */
export async function loadHandlers(
  path: string,
  contract: Contract,
  onRead: (path: string) => void,
): Promise<Handlers> {
  onRead(resolve(path))
  const files = await filesAt(path)
  const isFolder = files.length !== 1 || resolve(path) !== files[0]
  const loaded: Handlers[] = []
  for (const file of files) {
    onRead(file)
    const importModule = await importerOf(file)
    const module = await importModule(file, onRead).catch((error: unknown) => refuse(file, error))
    const handlers: unknown = isObject(module) ? Reflect.get(module, 'default') : undefined
    if (handlers === undefined && isFolder) continue
    if (isHandlers(handlers)) loaded.push(await checked(handlers, contract, file))
    else throw unusable(file, 'it has no default export with handlers', WRITE)
  }
  if (loaded.length === 0) throw unusable(path, 'no file in it has a default export', WRITE)
  return loaded.flat()
}

const WRITE = 'Write: export default defineHandlers({ … }).'

function isHandlers(value: unknown): value is Handlers {
  return isObject(value) || Array.isArray(value)
}

async function filesAt(path: string): Promise<readonly string[]> {
  const found = await stat(path).catch((error: unknown) => {
    throw unusable(path, describeSystemError(error), '')
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
    const code = lines(await readFile(file, 'utf8'))
    const line = name === undefined ? -1 : code.findIndex((text) => text.includes(name))
    const location = line === -1 ? shown(file) : `${shown(file)}:${line + 1}`
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

async function importerOf(file: string): Promise<Importer> {
  const isNative =
    !TYPESCRIPT.test(extname(file)) || Boolean(Reflect.get(process.features, 'typescript'))
  return isNative ? importNatively : importByJiti(file)
}

/** How often modules were imported. Node keeps each module by its URL. */
let imports = 0
let read: ReturnType<typeof openHooks> | undefined

const importNatively: Importer = async (file, onRead) => {
  read ??= openHooks()
  imports += 1
  const files = [file]
  try {
    return await import(`${pathToFileURL(file)}?${VERSION}=${imports}`)
  } catch (error) {
    files.push(...read())
    throw error instanceof SyntaxError ? await withPlace(error, files) : error
  } finally {
    for (const path of [...files, ...read()]) onRead(path)
  }
}

/** Node shows the place of a syntax error only when it prints the error. */
async function withPlace(error: SyntaxError, files: readonly string[]): Promise<SyntaxError> {
  for (const file of files) {
    const printed = await run(process.execPath, ['--check', file]).then(
      () => '',
      (failed: unknown) => String(Reflect.get(Object(failed), 'stderr')),
    )
    if (printed.startsWith(file)) error.stack = printed
  }
  return error
}

const run = promisify(execFile)

const VERSION = 'pet-sandbox'

/**
 * Gives what a module imports the version of the module, so that Node reads it anew, and reports the URL. The package itself is found
 * wherever the module is.
 */
const HOOKS = `let port, own
export function initialize(data) { port = data.port; own = data.own }
export async function resolve(specifier, context, next) {
  const [, version] = /[?&]${VERSION}=(\\d+)/.exec(context.parentURL ?? '') ?? []
  if (version === undefined) return next(specifier, context)
  const found = await next(specifier, context).catch((error) => {
    if (specifier === '${VERSION}') return { url: own, format: 'module', shortCircuit: true }
    throw error
  })
  if (!found.url.startsWith('file:') || found.url.includes('/node_modules/') || found.url === own) return found
  port.postMessage(found.url)
  return { ...found, url: found.url + '?${VERSION}=' + version }
}`

/** Returns a function that returns the paths of what was imported since it was last called. */
function openHooks(): () => readonly string[] {
  const { port1, port2 } = new MessageChannel()
  port1.unref()
  const own = import.meta.resolve(VERSION)
  register(`data:text/javascript,${encodeURIComponent(HOOKS)}`, {
    data: { port: port2, own },
    transferList: [port2],
  })
  return () => {
    const paths: string[] = []
    for (;;) {
      const received = receiveMessageOnPort(port1)
      if (!received) return paths
      paths.push(fileURLToPath(String(received.message)))
    }
  }
}

/** TypeScript for versions of Node that do not run it. */
async function importByJiti(file: string): Promise<Importer> {
  const { createJiti } = await import('jiti').catch((cause: unknown) => {
    if (systemErrorCode(cause) !== 'ERR_MODULE_NOT_FOUND') throw cause
    throw new UsageError({
      code: 'missing_package',
      task: `load the handlers of ${shown(file)}`,
      reason: `Node ${process.versions.node} does not run TypeScript, and the package jiti is not installed`,
      help: 'Run: npm install --save-dev jiti',
      cause,
    })
  })
  return async (path, onRead) => {
    const jiti = createJiti(path, { fsCache: false, moduleCache: true })
    const before = new Set(Object.keys(jiti.cache))
    try {
      return await jiti.import(path)
    } finally {
      for (const name of Object.keys(jiti.cache)) {
        if (before.has(name) || name.includes('/node_modules/')) continue
        onRead(name)
        delete jiti.cache[name]
      }
    }
  }
}

function refuse(file: string, error: unknown): never {
  const { message, stack = '' } = error instanceof Error ? error : new Error(String(error))
  // The code of a syntax error follows its first line.
  const [first = ''] = lines(message)
  throw unusable(file, first.replaceAll(QUERY, ''), '', placeIn(stack, file), error)
}

const QUERY = new RegExp(`\\?${VERSION}=\\d+`, 'g')

function lines(text: string): readonly string[] {
  return text.split('\n')
}

/** The line of a file in a stack, else the first line of another file; `undefined` when there is none. */
function placeIn(stack: string, file: string): string | undefined {
  const text = stack.replaceAll(QUERY, '').replaceAll('file://', '')
  const places = [...text.matchAll(/([^\s(]+\.m?[jt]s):(\d+)/g)].map(([, path = '', line]) => ({
    path,
    line,
  }))
  const own = places.find(({ path }) => path === file)
  const other = places.find(({ path }) => !/^node:|[\\/]node_modules[\\/]/.test(path))
  const { path, line } = own ?? other ?? {}
  return path === undefined ? undefined : `${shown(path)}:${line}`
}

function unusable(
  file: string,
  reason: string,
  help: string,
  location?: string,
  cause?: unknown,
): UsageError {
  const task = `load the handlers of ${shown(file)}`
  return new UsageError({ code: 'unusable_handlers', task, reason, help, location, cause })
}

function shown(file: string): string {
  const path = relative(process.cwd(), file)
  return path.startsWith('..') ? file : path
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
    output.write(`pet-sandbox: ${message}${stack}\n`)
  }
}
