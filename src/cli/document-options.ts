import type { Command } from 'commander'
import type { LoadOptions } from '../document/load-options.ts'
import { collect } from './collect.ts'
import { basePath, headers } from './setting-values.ts'

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

/** Adds the options that say how a document is read. */
export function addDocumentOptions(command: Command): Command {
  return command
    .option(
      '-H, --header <header>',
      "HTTP header for a document that is a URL, as 'Authorization: Bearer …'; never sent to another origin; repeatable",
      collect,
    )
    .option(
      '--overlay <file>',
      'OpenAPI overlay that changes the document while it is loaded; repeatable',
      collect,
    )
    .option('--no-inference', 'only hints (x-sandbox) say which operations have records')
    .option('--strict', 'refuse a document that has mistakes')
    .option('--allow-remote-refs', 'allow $refs to other servers')
    .option('--allow-outside-refs', "allow $refs to files outside the document's folder")
}

/** How a document is read, by the options of the command line. */
export function loadOptions(flags: DocumentFlags): LoadOptions {
  return {
    basePath: flags.basePath === undefined ? undefined : basePath(flags.basePath, '--base-path'),
    headers: headers(flags.header ?? [], '--header'),
    overlays: flags.overlay ?? [],
    remoteRefs: flags.allowRemoteRefs ?? false,
    outsideRefs: flags.allowOutsideRefs ?? false,
    strict: flags.strict ?? false,
    ...(flags.inference === false && { inference: false }),
  }
}

/** What a document can be, for the description of an argument. */
export function documentArgument(title: string): string {
  return `OpenAPI document: a file, a URL, or - for standard input (default: the ${title})`
}
