import { Command } from 'commander'
import type { BanRules } from '../access/ban.ts'
import { BAN_RULES } from '../access/ban.ts'
import { contract as shippedContract } from '../generated/contract.ts'
import { type Report, report } from '../report/report.ts'
import { RECORDINGS_VARIABLE } from '../sandbox/recording.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { Recorder } from './exec/recorder.ts'
import { Recordings } from './exec/recordings.ts'
import { run } from './exec/run.ts'
import { listen } from './listen.ts'
import { openServer } from './open-server.ts'
import { type Choices, RULES_NOTE, toReportOptions, withChoices } from './report/choices.ts'
import { checkAsked } from './report/recorded.ts'
import { writeReport } from './report/write-report.ts'
import { withServeOptions } from './serve.ts'
import { resolveSettings, type ServeSettings } from './settings.ts'
import { configSource, environmentSource, flagSource } from './sources.ts'

const NOTES = `${RULES_NOTE}

The command finds the sandbox by its environment: PET_SANDBOX_URL is the base address, PET_SANDBOX_KEY an API key.
The report covers sandboxes that the command's own processes create, too, such as the MSW handlers of a test suite.

Examples:
  pet-sandbox exec -- npm test
  pet-sandbox exec --fail-on warnings --min-coverage 80 --html report.html -- npx vitest run
  pet-sandbox exec --scenario first-429-then-fine --github -- npm run e2e

Exit codes: the command's own, unless it is 0; then 1 when the client did not behave, and 2 when it asked nothing.`

interface Options extends Choices {
  readonly openapi?: string
  readonly config?: string
  readonly port?: string
}

/** `pet-sandbox exec`: a sandbox around a command, and the report after it. */
export function execCommand(): Command {
  const command = new Command('exec')
    .description('run a command, as npm test, against a sandbox of its own, and report on it')
    .usage('[options] -- <command...>')
    .argument('<command...>', 'what to run, with its arguments')
    .option('--openapi <file>', `an OpenAPI document; the ${shippedContract.title} when left out`)
  withServeOptions(command, { port: 'any free one', log: 'silent' })
  const settings = command.options.filter((option) => option.attributeName() !== 'openapi')

  return withChoices(command)
    .addHelpText('after', NOTES)
    .action(async (words: readonly string[], options: Options, given: Command) => {
      const config = await configSource(options.config)
      const flags = flagSource(options.openapi, given, settings)
      const sources = [QUIET, config, environmentSource(process.env), flags]
      const { port: _port, ...resolved } = resolveSettings(sources)
      // Others may run at the same time: only the flag itself asks for a port.
      const { port } = resolveSettings([ANY_PORT, { ...flags, values: { port: options.port } }])
      process.exitCode = await exec(words, { ...resolved, port }, options)
    })
}

/** The output is the command's. */
const QUIET = { values: { log: 'silent' }, nameOf: (setting: string) => setting }
const ANY_PORT = { values: { port: 0 }, nameOf: (setting: string) => setting }

async function exec(
  words: readonly string[],
  settings: ServeSettings,
  choices: Choices,
): Promise<number> {
  const options = toReportOptions(choices)
  const inProcess = await Recordings.open()
  try {
    const { code, isKept, sandbox, recordings: asked } = await runBeside(words, settings, inProcess)
    return await worse(isKept ? code : code || 1, async () => {
      const { recordings: others, notices } = await inProcess.read(sandbox.contract.title)
      const recordings = [...asked, ...others]
      checkAsked([words.join(' ')], [{ recordings, notices }], [...notices, ADVICE].join(' '))
      const ban = bansOf(settings)
      const fitted = choices.plans ? { plans: sandbox.plans, ban } : {}
      const reported = report(recordings, sandbox.contract, { ...options, ...fitted }, notices)
      return writeReport(reported, choices, lastLine(reported, code))
    })
  } finally {
    await inProcess.close()
  }
}

interface Ran {
  /** The command's exit code. */
  readonly code: number
  /** Whether the state could be kept, where there is one. */
  readonly isKept: boolean
  readonly sandbox: Sandbox
  /** What the command sent to the sandbox. */
  readonly recordings: Recorder['recordings']
}

/** Runs the command beside a sandbox that listens until the command ends. */
async function runBeside(
  words: readonly string[],
  settings: ServeSettings,
  { folder }: Recordings,
): Promise<Ran> {
  // Standard output is the command's.
  const { sandbox, state, control, server } = await openServer(settings, process.stderr)
  const recorder = new Recorder()
  sandbox.worlds.onExchange(recorder.listen)
  let code: number
  let isKept = true
  try {
    const origin = await listen(server, settings.host, settings.port)
    const environment = environmentOf(sandbox, origin, control?.newToken)
    code = await run(words, { ...environment, [RECORDINGS_VARIABLE]: folder })
  } finally {
    control?.control.close()
    server.close()
    server.closeAllConnections()
    if (state) isKept = await state.close()
  }

  return { code, isKept, sandbox, recordings: recorder.recordings }
}

const ADVICE =
  'Let it send its requests to the address in PET_SANDBOX_URL, or to a sandbox in its own processes.'

/** What follows the verdict when the command failed: `Passed.` alone would not explain the exit code. */
function lastLine({ verdict }: Report, code: number): string | undefined {
  if (code === 0) return undefined
  const client = verdict === 'passed' ? 'The client behaved, but the' : 'The'
  return `${client} command failed with exit code ${code}.`
}

/** The command's code where it failed: its reader looks there first. */
async function worse(code: number, reporting: () => Promise<number>): Promise<number> {
  try {
    const reported = await reporting()
    return code === 0 ? reported : code
  } catch (error) {
    if (code === 0 || !(error instanceof Error)) throw error
    process.stderr.write(`pet-sandbox: ${error.message}\n`)
    return code
  }
}

function bansOf({ ban = {} }: ServeSettings): BanRules | false {
  return ban !== false && { ...BAN_RULES, ...ban }
}

/** What tells the command where the sandbox is. */
function environmentOf(
  { contract, keys }: Sandbox,
  origin: string,
  token: string | undefined,
): NodeJS.ProcessEnv {
  const key = keys.find(({ always }) => always === undefined)?.key
  return {
    ...process.env,
    PET_SANDBOX_URL: origin + contract.basePath,
    ...(key !== undefined && { PET_SANDBOX_KEY: key }),
    ...(token !== undefined && { PET_SANDBOX_CONTROL_TOKEN: token }),
  }
}
