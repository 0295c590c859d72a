import { type Command, CommanderError } from 'commander'
import { describe, expect, test } from 'vitest'
import { createProgram } from '../../cli/program.ts'
import { rejectMisspeltCommand } from '../../cli/setting-sources.ts'
import { allCommands, fullName, optionsOf } from './commands.ts'
import { codeBlocks, codeSpans, readGuide } from './markdown.ts'
import { sandboxCalls } from './shell.ts'

const pages = await readGuide()

/** The program with commands that check their arguments and do nothing else. */
function dryProgram(): Command {
  const program = createProgram()
  for (const command of allCommands(program)) {
    command.configureOutput({ writeOut: () => undefined, writeErr: () => undefined })
    // Where a command has subcommands, an excess argument is a misspelt one.
    command.allowExcessArguments(false).action(() => undefined)
  }
  program.commands
    .find((command) => command.name() === 'serve')
    ?.action((_openapi, _options, command: Command) => rejectMisspeltCommand(command))

  return program
}

/** A text may name a command without its arguments. */
const names = allCommands().map(fullName)

const calls = pages.flatMap((page) => {
  const scripts = codeBlocks(page)
    .filter(({ language }) => ['sh', 'console', 'yaml'].includes(language))
    .map(({ code }) => code.replace(/^ *- run: /gm, ''))
  const spans = codeSpans(page)
    .map((span) => span.replace(/^npx /, '').replace(/^ctl /, 'pet-sandbox ctl '))
    .filter((span) => !names.includes(span))

  return [...scripts, ...spans]
    .flatMap(sandboxCalls)
    .map((args) => ({ page: page.path, args, text: args.join(' ') }))
})

const flags = pages.flatMap((page) =>
  codeSpans(page).flatMap((span) => {
    const [, flag] = /^(--[a-z-]+)/.exec(span) ?? []
    return flag === undefined ? [] : [{ page: page.path, flag }]
  }),
)

describe('the program accepts the command', () => {
  test.each(calls)('pet-sandbox $text ($page)', async ({ args }) => {
    const error = await dryProgram()
      .parseAsync(args, { from: 'user' })
      .then(
        () => undefined,
        (thrown: unknown) => thrown,
      )

    // The options for help and version also end the program.
    if (!(error instanceof CommanderError && error.exitCode === 0)) expect(error).toBeUndefined()
  })
})

describe('a command of the program has the option', () => {
  const known = allCommands().flatMap(optionsOf)

  test.each(flags)('$flag ($page)', ({ flag }) => {
    expect(known).toContain(flag)
  })
})
