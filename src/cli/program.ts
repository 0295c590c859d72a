import { Command, CommanderError } from 'commander'
import { version } from '../generated/package.ts'
import { RECORDINGS_VARIABLE } from '../sandbox/recording.ts'
import { UsageError } from '../validation/usage-error.ts'
import { compileCommand } from './compile.ts'
import { ctlCommand } from './ctl.ts'
import { execCommand } from './exec.ts'
import { explainCommand } from './explain.ts'
import { listenCommand } from './forward.ts'
import { initCommand } from './init.ts'
import { reportCommand } from './report.ts'
import { SERVE_NOTES, serveCommand } from './serve.ts'
import { printableLines } from './terminal.ts'
import { verifyCommand } from './verify.ts'

/** The exit codes are 0 for success, 1 for a failed check, and 2 for wrong usage. */
const WRONG_USAGE = 2

/** Runs the command line. Prints a usage error as one line without a stack, and sets the exit code. */
export async function run(args: readonly string[]): Promise<void> {
  process.stdout.off('error', exitOnClosedOutput).on('error', exitOnClosedOutput)
  process.stderr.off('error', ignoreError).on('error', ignoreError)
  // `exec` records the requests of its command. A pet-sandbox that the command starts must not record its own.
  delete process.env[RECORDINGS_VARIABLE]
  try {
    await createProgram().parseAsync(args, { from: 'user' })
  } catch (error) {
    process.exitCode = printError(error)
  }
}

/** A reader may close the output, as `pet-sandbox | head -3` does. Other errors, such as a full disk, are printed. */
function exitOnClosedOutput({ code, message }: NodeJS.ErrnoException): void {
  if (code === 'EPIPE') process.exit()
  process.stderr.write(
    `pet-sandbox: Cannot write the output: ${message}. Free some disk space, or write to another place.\n`,
  )
  process.exit(WRONG_USAGE)
}

/** Errors of standard error cannot be reported. */
function ignoreError(): void {}

/** The commands of the command line, with their arguments and options. */
export function createProgram(): Command {
  const program = new Command('pet-sandbox')
    .description('A stateful sandbox of an HTTP API, driven by its OpenAPI document.')
    .version(version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
  const serve = serveCommand()
  program.addCommand(serve, { isDefault: true })
  program.addCommand(explainCommand())
  program.addCommand(compileCommand())
  program.addCommand(verifyCommand())
  program.addCommand(initCommand())
  program.addCommand(reportCommand())
  program.addCommand(execCommand())
  program.addCommand(ctlCommand())
  program.addCommand(listenCommand())
  for (const command of withSubcommands(program)) {
    command
      .exitOverride()
      .configureOutput({ outputError: (text, write) => write(formatCommanderError(text)) })
  }
  // Most users look for the options of the default command.
  return program.addHelpText(
    'after',
    () => `
${serve.helpInformation()}${SERVE_NOTES}`,
  )
}

/** A command with all its subcommands. */
function withSubcommands(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)]
}

/** Prints an error as one line, and returns the exit code. An error that is not a usage error is a bug. */
function printError(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE
  const text = error instanceof UsageError ? error.message : describeBug(error)
  process.stderr.write(`pet-sandbox: ${printableLines(text)}\n`)

  return WRONG_USAGE
}

/** Describes a bug in one line, and with its stack if DEBUG contains "pet-sandbox". */
function describeBug(error: unknown): string {
  const wantsStack = (process.env.DEBUG ?? '').split(/[\s,]+/).includes('pet-sandbox')
  const [summary = ''] = String(error).split('\n')
  const line = `This is a bug in pet-sandbox: ${summary}. Set DEBUG=pet-sandbox to see the stack, and please report the bug.`
  const stack = error instanceof Error ? error.stack : undefined

  return wantsStack && stack !== undefined ? `${line}\n${stack}` : line
}

/** An error message of commander on one line, with its suggestion. */
function formatCommanderError(text: string): string {
  return `pet-sandbox: ${text
    .trim()
    .replace(/^error: /, '')
    .replaceAll('\n', ' ')}\n`
}
