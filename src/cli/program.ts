import { Command, CommanderError } from 'commander'
import { version } from '../generated/package.ts'
import { RECORDINGS_VARIABLE } from '../sandbox/recording.ts'
import { UsageError } from '../validation/usage-error.ts'
import { ctlCommand } from './ctl.ts'
import { execCommand } from './exec.ts'
import { explainCommand } from './explain.ts'
import { initCommand } from './init.ts'
import { printableLines } from './log.ts'
import { reportCommand } from './report.ts'
import { SERVE_NOTES, serveCommand } from './serve.ts'
import { verifyCommand } from './verify.ts'

/** Exit codes: 0 fine, 1 the check failed, 2 wrong usage. */
const WRONG_USAGE = 2

/** Runs the command line with these arguments. A mistake is told in one line, without a stack. */
export async function run(args: readonly string[]): Promise<void> {
  process.stdout.off('error', endWithReader).on('error', endWithReader)
  process.stderr.off('error', goOn).on('error', goOn)
  // `exec` records what its command asks, not what another pet-sandbox that the command runs does by itself.
  delete process.env[RECORDINGS_VARIABLE]
  try {
    await createProgram().parseAsync(args, { from: 'user' })
  } catch (error) {
    process.exitCode = tell(error)
  }
}

/** Whoever reads the output may stop, as `pet-sandbox | head -3` does: that is no mistake. A disk that is full is told. */
function endWithReader({ code, message }: NodeJS.ErrnoException): void {
  if (code === 'EPIPE') process.exit()
  process.stderr.write(
    `pet-sandbox: Cannot write the output: ${message}. Free some space, or write elsewhere.\n`,
  )
  process.exit(WRONG_USAGE)
}

/** What is said beside the output may find no reader. */
function goOn(): void {}

/** The command line: its commands, with their arguments and options. */
export function createProgram(): Command {
  const program = new Command('pet-sandbox')
    .description(
      'A stateful sandbox for the consumers of an HTTP API, driven by its OpenAPI document.',
    )
    .version(version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
  const serve = serveCommand()
  program.addCommand(serve, { isDefault: true })
  program.addCommand(explainCommand())
  program.addCommand(verifyCommand())
  program.addCommand(initCommand())
  program.addCommand(reportCommand())
  program.addCommand(execCommand())
  program.addCommand(ctlCommand())
  for (const command of withVerbs(program)) {
    command.exitOverride().configureOutput({ outputError: (text, write) => write(oneLine(text)) })
  }
  // The default command is what most who ask for help are after.
  return program.addHelpText(
    'after',
    () => `
${serve.helpInformation()}${SERVE_NOTES}`,
  )
}

/** A command, with all that are below it. */
function withVerbs(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(withVerbs)]
}

/** Says what went wrong in one line, and gives the exit code. What is not a mistake of the developer is a bug. */
function tell(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE
  const text = error instanceof UsageError ? error.message : bugOf(error)
  process.stderr.write(`pet-sandbox: ${printableLines(text)}\n`)

  return WRONG_USAGE
}

/** A bug in one line; with its stack where the environment asks for it. */
function bugOf(error: unknown): string {
  const isAsked = (process.env.DEBUG ?? '').split(/[\s,]+/).includes('pet-sandbox')
  const [what = ''] = String(error).split('\n')
  const line = `This is a bug of pet-sandbox: ${what}. Set DEBUG=pet-sandbox to see the stack, and please report it.`
  const stack = error instanceof Error ? error.stack : undefined

  return isAsked && stack !== undefined ? `${line}\n${stack}` : line
}

/** Commander's own mistakes, with their hint on the same line. */
function oneLine(text: string): string {
  return `pet-sandbox: ${text
    .trim()
    .replace(/^error: /, '')
    .replaceAll('\n', ' ')}\n`
}
