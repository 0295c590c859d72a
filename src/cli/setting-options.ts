import { type Command, Option } from 'commander'
import type { LoadOptions } from '../document/load-options.ts'
import { contract as shippedContract } from '../generated/contract.ts'
import {
  attributeOf,
  DEFAULTS,
  optionName,
  resolveSettings,
  SETTINGS,
  type ServeSettings,
} from './settings.ts'

/** Adds the options of `serve`, or those of `exec`. `defaults` are the defaults that differ between the two, for the help. */
export function addServeOptions(
  command: Command,
  { isServer, ...defaults }: { readonly isServer: boolean; readonly [setting: string]: unknown },
): Command {
  for (const [name, setting] of Object.entries(SETTINGS)) {
    if (setting.isOfServer && !isServer) continue
    if (setting.heading !== undefined) command.optionsGroup(setting.heading)
    addOptions(command, name, { ...DEFAULTS, ...defaults })
    if (name === 'state') {
      command.option(
        '--config <file>',
        'settings as YAML or JSON (default: pet-sandbox.config.yaml, .yml or .json)',
      )
    }
  }
  return command
}

/** Adds the options that say how a document is read. */
export function addDocumentOptions(command: Command): Command {
  for (const [name, { isOfDocument }] of Object.entries(SETTINGS)) {
    if (isOfDocument) addOptions(command, name)
  }
  return command
}

function addOptions(
  command: Command,
  name: string,
  defaults: Readonly<Record<string, unknown>> = {},
): void {
  const { option, help = '', shortcut, choices, isRepeatable } = SETTINGS[name] ?? {}
  if (option === undefined) return
  const value = defaults[name]
  const isShown = typeof value === 'string' || typeof value === 'number'
  const added = new Option(option, isShown ? `${help} (default: ${value})` : help)
  if (choices) added.choices([...choices])
  if (isRepeatable) added.argParser(collect)
  command.addOption(added)
  if (shortcut) command.option(...shortcut)
}

/** The values of the options that say how a document is read. */
export interface DocumentFlags {
  readonly basePath?: string
  readonly header?: readonly string[]
  readonly overlay?: readonly string[]
  readonly allowRemoteRefs?: boolean
  readonly strict?: boolean
  readonly inference?: boolean
  readonly allowOutsideRefs?: boolean
}

/** How a document is read, by the options of a command that serves none. */
export function loadOptions(flags: DocumentFlags): LoadOptions {
  const given = new Map<string, unknown>(Object.entries(flags))
  const values = Object.entries(SETTINGS)
    .filter(([name, { isOfDocument }]) => isOfDocument || name === 'basePath')
    .map(([name, setting]) => [name, given.get(attributeOf(setting) ?? '')])

  return loadOptionsOf(
    resolveSettings([{ values: Object.fromEntries(values), nameOf: optionName }]),
  )
}

/** How a document is read, by the settings. */
export function loadOptionsOf({
  basePath,
  headers = {},
  overlay: overlays = [],
  remoteRefs = false,
  outsideRefs = false,
  strict = false,
  inference,
}: ServeSettings): LoadOptions {
  const refs = { remoteRefs, outsideRefs }
  return { basePath, headers, overlays, ...refs, strict, ...(inference === false && { inference }) }
}

/** What a document can be, for the description of an argument. */
export const DOCUMENT_ARGUMENT: string = `OpenAPI document: a file, a URL, or - for standard input (default: the ${shippedContract.title})`

/** Collects the values of an option that may be given several times, for commander. */
export function collect(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value]
}
