import { resolve } from 'node:path'
import type { Contract } from '../contract/contract.ts'
import type { LoadedDocument } from '../document/load-document.ts'
import { reloadSandbox } from '../sandbox/reload.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { count, UsageError } from '../validation/usage-error.ts'
import { describeMistakes, knownMistakes } from './diagnostics.ts'
import { FileWatcher } from './file-watcher.ts'
import { readSandboxOptions } from './sandbox-options.ts'
import type { ServeSettings } from './settings.ts'
import { printable, printableLines, toJsonLine } from './terminal.ts'

/** What a sandbox is reloaded from. */
interface WatchedSandbox {
  readonly sandbox: Sandbox
  readonly settings: ServeSettings
  /** Reads the settings again. */
  readonly readSettings: () => Promise<ServeSettings>
  /** The configuration file, if there is one. */
  readonly configFile: string | undefined
  /** The files that were read at the start. */
  readonly files: Iterable<string>
  /** Called with each document that has replaced the one before. */
  readonly onReload: (document: LoadedDocument, settings: ServeSettings) => void
}

/** The settings of the server. Its address cannot change while it listens. */
const NEED_RESTART = [
  'port',
  'host',
  'publicUrl',
  'trustProxy',
  'log',
  'control',
  'controlToken',
  'controlOrigins',
  'metricsPort',
  'drain',
  'open',
  'state',
  'instance',
  'store',
  'journal',
  'force',
  'watch',
] as const

/** Throws a UsageError unless the document of the settings, or its handlers, are files. */
export function requireWatchable({
  openapi,
  handlers,
  watch = false,
}: Pick<ServeSettings, 'openapi' | 'handlers' | 'watch'>): void {
  // The handlers of the shipped document are files.
  if (!watch || (openapi === undefined && handlers !== undefined)) return
  const source = sourceOf(openapi)
  if (source === undefined) return
  throw new UsageError({
    code: 'invalid_setting',
    task: 'use --watch',
    reason: `${source} cannot be watched`,
    help: 'Name a file as the document.',
  })
}

function sourceOf(openapi: string | undefined): string | undefined {
  if (openapi === undefined) return 'the shipped document'
  if (openapi === '-') return 'standard input'
  return /^https?:/i.test(openapi) ? 'a URL' : undefined
}

/** Reloads a sandbox when one of its files changes, until the returned watcher is closed. */
export async function watchSandbox(watched: WatchedSandbox): Promise<FileWatcher> {
  const config = watched.configFile === undefined ? [] : [resolve(watched.configFile)]
  let settings = watched.settings
  let lastFiles = [...watched.files, ...config]

  const watcher = new FileWatcher(async () => {
    const files = new Set<string>(config)
    try {
      const next = await watched.readSettings()
      requireWatchable({ ...next, watch: true })
      const document = await reload(watched.sandbox, settings, next, (path) => files.add(path))
      watched.onReload(document, next)
      settings = next
      lastFiles = [...files]
    } catch (error) {
      printFailure(error)
    }
    // After a mistake, the files of the last good version are watched, too.
    await watcher.watch([...lastFiles, ...files])
  })
  await watcher.watch(lastFiles)

  return watcher
}

async function reload(
  sandbox: Sandbox,
  before: ServeSettings,
  next: ServeSettings,
  onRead: (path: string) => void,
): Promise<LoadedDocument> {
  const { contract } = sandbox
  const { options, document } = await readSandboxOptions(next, onRead)
  const removed = await reloadSandbox(sandbox, options)
  applyAccess(sandbox, before, next)
  const waiting = NEED_RESTART.filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(next[name]),
  ).map((name) => `The change of ${name} takes effect at the next start.`)
  print(next, document, contract, [...removed, ...waiting])

  return document
}

/** Plans and keys are part of the state, so only those that were changed are set. */
function applyAccess(sandbox: Sandbox, before: ServeSettings, next: ServeSettings): void {
  const worlds = sandbox.worlds.list().map(({ name }) => sandbox.world(name))
  for (const [name, windows] of changed(before.plans, next.plans)) {
    for (const world of worlds) world.setPlan(name, windows)
  }
  for (const [key, given] of changed(before.keys, next.keys)) {
    for (const world of worlds) world.setKey(key, given)
  }
}

function changed<Value>(
  before: Readonly<Record<string, Value>> = {},
  next: Readonly<Record<string, Value>> = {},
): readonly (readonly [string, Value])[] {
  return Object.entries(next).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
  )
}

function print(
  settings: ServeSettings,
  document: LoadedDocument,
  before: Contract,
  notices: readonly string[],
): void {
  const { openapi = '', log } = settings
  if (log === 'silent') return
  const { contract: after } = document
  const mistakes = knownMistakes(document, settings)
  const added = newOperations(before, after)
  const removed = newOperations(after, before)
  const { length } = after.operations
  const lines =
    log === 'json'
      ? [
          toJsonLine({
            time: new Date().toISOString(),
            reloaded: openapi,
            operations: length,
            added,
            removed,
            diagnostics: mistakes ?? { count: 0 },
            notices,
          }),
        ]
      : [
          `Reloaded ${openapi}: ${count(length, 'operation')} (+${added} −${removed})`,
          ...(mistakes ? [`  ${describeMistakes(mistakes)}`] : []),
          ...notices.map((notice) => `  ${notice}`),
        ]
  process.stdout.write(lines.map((line) => `${printable(line)}\n`).join(''))
}

/** How many operations of a contract another one does not have. */
function newOperations(before: Contract, after: Contract): number {
  const known = new Set(before.operations.map(({ method, path }) => `${method} ${path}`))
  return after.operations.filter(({ method, path }) => !known.has(`${method} ${path}`)).length
}

function printFailure(error: unknown): void {
  const reason = error instanceof UsageError ? error.message : `Cannot reload: ${String(error)}.`
  const text = `${reason} The last good version is still served.`
  process.stderr.write(`pet-sandbox: ${printableLines(text)}\n`)
}
