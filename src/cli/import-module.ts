import { execFile } from 'node:child_process'
import { register } from 'node:module'
import { extname, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads'
import { UsageError, type UsageErrorDetails } from '../validation/usage-error.ts'
import { systemErrorCode } from './system-error.ts'

/** Imports a module anew, with what it imports. Calls `onRead` with the path of each file. */
type Importer = (file: string, onRead: (path: string) => void) => Promise<unknown>

const TYPESCRIPT = /\.m?ts$/

/** What a module of the user has, in the words of errors: `the handlers`. */
export interface ModuleContent {
  readonly what: string
  /** The code of the error when the module cannot be used. */
  readonly code: UsageErrorDetails['code']
}

/** Runs what loads a module. Rejects when the code of the module does not end, with an error that has its place in its stack. */
export type LoadGuard = (load: () => Promise<unknown>) => Promise<unknown>

const unguarded: LoadGuard = (load) => load()

/**
 * Imports a module of the user anew: JavaScript or TypeScript. Calls `onRead` with the path of each file. Rejects with a UsageError that
 * names the file and, where it is known, the line.
 */
export async function importModule(
  file: string,
  content: ModuleContent,
  onRead: (path: string) => void = () => undefined,
  guard: LoadGuard = unguarded,
): Promise<unknown> {
  const load = await importerOf(file, content)
  return await inTime(guard(() => load(file, onRead))).catch((error: unknown) =>
    refuse(file, content, error),
  )
}

/** How long a module may take to load, in milliseconds. */
export const LOAD_LIMIT = 10_000

/** Rejects when a module waits at its top level for what does not come. The timer keeps the process running meanwhile. */
async function inTime<Value>(loading: Promise<Value>): Promise<Value> {
  const reason = `an await outside of functions has not ended within ${LOAD_LIMIT / 1000} s`
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<never>((_, reject) => {
    // After an endless loop was ended, the timer is due before the message that says so is read.
    const wait = (): void => {
      timer = setTimeout(() => reject(new Error(reason)), 100)
    }
    timer = setTimeout(wait, LOAD_LIMIT)
  })
  try {
    return await Promise.race([loading, tooLate])
  } finally {
    clearTimeout(timer)
  }
}

async function importerOf(file: string, content: ModuleContent): Promise<Importer> {
  const isNative =
    !TYPESCRIPT.test(extname(file)) || Boolean(Reflect.get(process.features, 'typescript'))
  return isNative ? importNatively : importByJiti(file, content)
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
async function importByJiti(file: string, { what }: ModuleContent): Promise<Importer> {
  const { createJiti } = await import('jiti').catch((cause: unknown) => {
    if (systemErrorCode(cause) !== 'ERR_MODULE_NOT_FOUND') throw cause
    throw new UsageError({
      code: 'missing_package',
      task: `load ${what} of ${shownFile(file)}`,
      reason: `Node ${process.versions.node} does not run TypeScript, and the package jiti is not installed`,
      help: 'Run: npm install --save-dev jiti',
      cause,
    })
  })
  return async (path, onRead) => {
    // A module without a default export has none, as where Node runs TypeScript.
    const options = { fsCache: false, moduleCache: true, interopDefault: false }
    const jiti = createJiti(path, options)
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

function refuse(file: string, content: ModuleContent, error: unknown): never {
  const { message, stack = '' } = error instanceof Error ? error : new Error(String(error))
  // The code of a syntax error follows its first line.
  const [first = ''] = lines(message)
  const location = placeIn(stack)
  throw unusable(file, content, { reason: withoutVersions(first), location, cause: error })
}

/** The folder with the code of the sandbox. */
const OWN = fileURLToPath(new URL('.', import.meta.url))

const QUERY = new RegExp(`\\?${VERSION}=\\d+`, 'g')

/** A text, such as a stack, in which modules have their own names. */
export function withoutVersions(text: string): string {
  return text.replaceAll(QUERY, '')
}

/** The first line of a stack that is neither Node's, nor a package's, nor the sandbox's; `undefined` when there is none. */
function placeIn(stack: string): string | undefined {
  const text = withoutVersions(stack).replaceAll('file://', '')
  const places = [...text.matchAll(/([^\s(]+\.[cm]?[jt]s):(\d+)/g)].map(([, path = '', line]) => ({
    path,
    line,
  }))
  const { path, line } =
    places.find(
      ({ path }) => !(/^node:|[\\/]node_modules[\\/]/.test(path) || path.startsWith(OWN)),
    ) ?? {}
  return path === undefined ? undefined : `${shownFile(path)}:${line}`
}

/** The error of a module that cannot be used. */
export function unusable(
  file: string,
  { what, code }: ModuleContent,
  why: Pick<UsageErrorDetails, 'reason' | 'help' | 'location' | 'cause'>,
): UsageError {
  return new UsageError({ code, task: `load ${what} of ${shownFile(file)}`, ...why })
}

/** A path as errors show it: relative to the working directory where the file is in it. */
export function shownFile(file: string): string {
  const path = relative(process.cwd(), file)
  return path.startsWith('..') ? file : path
}

function lines(text: string): readonly string[] {
  return text.split('\n')
}
