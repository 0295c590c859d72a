import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { suggest, UsageError } from '../validation/usage-error.ts'
import { VARIABLES } from './sources.ts'

/** Throws a UsageError for words that are no document: a command that is misspelt is taken for one. */
export function refuseCommand({ args, parent }: Command): void {
  const [word = ''] = args
  const names = (parent?.commands ?? []).map((command) => command.name())
  const hint = suggest(word, names)
  if (word !== '' && isNear(hint) && !existsSync(word)) {
    throw new UsageError(
      'unknown_command',
      `Cannot do "${word}": there is no such command, nor a document of that name. ${hint}`,
    )
  }
  if (args.length > 1) {
    throw new UsageError(
      'several_documents',
      `Cannot serve ${args.join(' and ')}: there can be one document. Start a sandbox for each.`,
    )
  }
}

const PREFIX = 'PET_SANDBOX_'

/** Variables that are no settings of `serve`, but of its neighbours and of what runs beside it. */
const OTHERS = ['URL', 'KEY', 'TOKEN', 'WORLD', 'CHROMIUM', 'KILLS', 'NAME'].map(
  (name) => PREFIX + name,
)

/** Says so of each variable that looks like a setting and is none. It may be another program's, so that is no mistake. */
export function warnOfVariables(environment: NodeJS.ProcessEnv): void {
  const known = Object.values(VARIABLES)
  const strangers = Object.keys(environment).filter(
    (name) => name.startsWith(PREFIX) && !known.includes(name) && !OTHERS.includes(name),
  )
  for (const name of strangers) {
    const hint = suggest(withoutPrefix(name), known.map(withoutPrefix))
    if (!isNear(hint)) continue
    const advice = hint.replace('"', `"${PREFIX}`)
    process.stderr.write(`pet-sandbox: The variable ${name} is no setting. ${advice}\n`)
  }
}

function withoutPrefix(name: string): string {
  return name.slice(PREFIX.length)
}

function isNear(hint: string): boolean {
  return hint.startsWith('Did you mean')
}
