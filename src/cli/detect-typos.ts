import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { describeSuggestion, suggest, UsageError } from '../validation/usage-error.ts'
import { VARIABLES } from './setting-sources.ts'
import { withoutCredentials } from './shell.ts'

/** Throws a UsageError for a misspelt command, which commander takes for a document, and for several documents. */
export function rejectMisspeltCommand({ args, parent }: Command): void {
  const [word = ''] = args
  const names = (parent?.commands ?? []).map((command) => command.name())
  const suggestion = suggest(word, names)
  if (word !== '' && suggestion.suggestion !== undefined && !existsSync(word)) {
    throw new UsageError({
      code: 'unknown_command',
      task: 'run the command',
      reason: `"${word}" is neither a command nor a document`,
      ...suggestion,
    })
  }
  if (args.length > 1) {
    throw new UsageError({
      code: 'several_documents',
      task: `serve ${args.map(withoutCredentials).join(' and ')}`,
      reason: 'a sandbox serves one document',
      help: 'Start a sandbox for each document.',
    })
  }
}

const PREFIX = 'PET_SANDBOX_'

/** Variables that are not settings of `serve`. Other commands and the tests use them. */
const OTHERS = ['URL', 'KEY', 'TOKEN', 'WORLD', 'CHROMIUM', 'KILLS', 'NAME'].map(
  (name) => PREFIX + name,
)

/** Warns about each variable that looks like a misspelt setting. It is not an error: another program may use the variable. */
export function warnAboutMisspeltVariables(environment: NodeJS.ProcessEnv): void {
  const known = Object.values(VARIABLES)
  const unknown = Object.keys(environment).filter(
    (name) => name.startsWith(PREFIX) && !known.includes(name) && !OTHERS.includes(name),
  )
  for (const name of unknown) {
    const { suggestion } = suggest(withoutPrefix(name), known.map(withoutPrefix))
    if (suggestion === undefined) continue
    const help = describeSuggestion({ suggestion: PREFIX + suggestion })
    process.stderr.write(
      `pet-sandbox: The environment variable ${name} is not a setting. ${help}\n`,
    )
  }
}

function withoutPrefix(name: string): string {
  return name.slice(PREFIX.length)
}
