import { Command } from 'commander'
import { resolveBanRules } from '../access/ban.ts'
import { ANY_KEY, usableKey } from '../access/keys.ts'
import { type Report, report } from '../report/report.ts'
import { RECORDINGS_VARIABLE } from '../sandbox/recording.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { UsageError } from '../validation/usage-error.ts'
import { listen } from './listen.ts'
import { openServer } from './open-server.ts'
import { rejectEmptyTraffic } from './recorded-traffic.ts'
import { Recorder, RecordingDirectory } from './recordings.ts'
import {
  addReportOptions,
  type ReportFlags,
  RULES_NOTE,
  toReportOptions,
  writeReport,
} from './report-output.ts'
import { addServeOptions, DOCUMENT_ARGUMENT } from './setting-options.ts'
import { configSource, environmentSource, flagSource } from './setting-sources.ts'
import { refuseStore, resolveSettings, type ServeSettings } from './settings.ts'
import { spawnCommand } from './spawn-command.ts'

const NOTES = `${RULES_NOTE}

The command gets the base address as PET_SANDBOX_URL and an API key as PET_SANDBOX_KEY.
The report also covers sandboxes that the processes of the command create, such as MSW handlers in a test suite.

Examples:
  pet-sandbox exec -- npm test
  pet-sandbox exec books.yaml --overlay hints.yaml -- npm test
  pet-sandbox exec --fail-on warnings --min-coverage 80 --html report.html -- npx vitest run
  pet-sandbox exec --scenario first-429-then-fine --github -- npm run e2e

Exit codes:
  the exit code of the command, unless it is 0; otherwise:
  0  the client behaved well
  1  the report failed
  2  wrong usage, or the command sent no requests`

interface Options extends ReportFlags {
  readonly openapi?: string
  readonly config?: string
  readonly port?: string
}

/** `pet-sandbox exec`: runs a command with a sandbox of its own, and then reports on its requests. */
export function execCommand(): Command {
  const command = new Command('exec')
    .description('run a command such as "npm test" with a sandbox, then report on its requests')
    .usage('[options] [openapi] -- <command...>')
    .argument('<command...>', 'command with its arguments')
    .option('--openapi <document>', DOCUMENT_ARGUMENT)
  addServeOptions(command, { isServer: false, port: 'any free port', log: 'silent' })

  return addReportOptions(command)
    .addHelpText('after', NOTES)
    .action(async (given: readonly string[], flagged: Options, command: Command) => {
      const { document, words } = splitWords(given)
      const options = document === undefined ? flagged : { ...flagged, openapi: document }
      const config = await configSource(options.config)
      const flags = flagSource(options.openapi, command)
      const sources = [QUIET, config, environmentSource(process.env), flags]
      const { port: _port, ...resolved } = resolveSettings(sources)
      // Several commands may run at the same time, so only the option sets a port.
      const { port } = resolveSettings([ANY_PORT, { ...flags, values: { port: options.port } }])
      process.exitCode = await exec(words, { ...resolved, port }, options)
    })
}

/** How documents are named, and commands are not. */
const DOCUMENT = /^https?:\/\/|\.(ya?ml|json)$/i

/** The document in front of the command, as the other commands take it. Throws a UsageError for a document without a command. */
function splitWords(given: readonly string[]): {
  readonly document?: string
  readonly words: readonly string[]
} {
  const [document = '', ...words] = given
  if (!DOCUMENT.test(document)) return { words: given }
  if (words.length > 0) return { document, words }
  throw new UsageError({
    code: 'invalid_option',
    task: `run ${document}`,
    reason: 'it is a document, not a command',
    help: `Write the command after it: pet-sandbox exec ${document} -- npm test`,
  })
}

/** Standard output belongs to the command. */
const QUIET = { values: { log: 'silent' }, nameOf: (setting: string) => setting }
const ANY_PORT = { values: { port: 0 }, nameOf: (setting: string) => setting }

async function exec(
  words: readonly string[],
  settings: ServeSettings,
  flags: ReportFlags,
): Promise<number> {
  refuseStore(settings)
  const options = toReportOptions(flags)
  const inProcess = await RecordingDirectory.open()
  try {
    const {
      code,
      isSaved,
      sandbox,
      receivers,
      recordings: received,
    } = await runWithSandbox(words, settings, inProcess)
    return await combinedExitCode(isSaved ? code : code || 1, async () => {
      const { recordings: others, notices } = await inProcess.read(sandbox.contract)
      const recordings = [...received, ...others]
      rejectEmptyTraffic(
        [words.join(' ')],
        [{ recordings, notices }],
        [...notices, NO_REQUESTS_HELP].join(' '),
      )
      const ban = resolveBanRules(settings.ban, sandbox.contract.sandbox?.ban) ?? (false as const)
      const planOptions = flags.plans ? { plans: sandbox.plans, ban } : {}
      const reported = report(
        recordings,
        sandbox.contract,
        { ...options, ...planOptions },
        notices,
        receivers,
      )
      return writeReport(reported, flags, lastLine(reported, code))
    })
  } finally {
    await inProcess.close()
  }
}

interface FinishedCommand {
  /** The command's exit code. */
  readonly code: number
  /** Whether the state was saved, or there is no state file. */
  readonly isSaved: boolean
  readonly sandbox: Sandbox
  /** How the receivers of events behaved. */
  readonly receivers: Awaited<ReturnType<Sandbox['report']>>['receivers']
  /** The requests that the command sent to the sandbox. */
  readonly recordings: Recorder['recordings']
}

/** Runs a command while a sandbox listens. */
async function runWithSandbox(
  words: readonly string[],
  settings: ServeSettings,
  { folder }: RecordingDirectory,
): Promise<FinishedCommand> {
  // Standard output belongs to the command.
  const { sandbox, worlds, state, control, server } = await openServer(settings, process.stderr)
  const recorder = new Recorder(sandbox.contract)
  sandbox.worlds.onExchange(recorder.listen)
  let code: number
  let isSaved = true
  try {
    const origin = await listen(server, settings.host, settings.port)
    const environment = environmentOf(sandbox, origin, control?.newToken)
    code = await spawnCommand(words, { ...environment, [RECORDINGS_VARIABLE]: folder })
  } finally {
    control?.control.close()
    server.close()
    server.closeAllConnections()
    if (state) isSaved = await state.close()
  }

  const { receivers } = await sandbox.report({ only: [] })
  await worlds.close()

  return { code, isSaved, sandbox, receivers, recordings: recorder.recordings }
}

const NO_REQUESTS_HELP =
  'Let it send requests to the address in PET_SANDBOX_URL, which has the base path, or create a sandbox in its own processes.'

/** Follows the verdict of the report when the command failed: "Passed." would not explain the exit code. */
function lastLine({ verdict }: Report, code: number): string | undefined {
  if (code === 0) return undefined
  const client = verdict === 'passed' ? 'The client behaved well, but the' : 'The'
  return `${client} command failed with exit code ${code}.`
}

/** The exit code of a failed command, otherwise that of the report. A failed command is the more important result. */
async function combinedExitCode(
  code: number,
  createReport: () => Promise<number>,
): Promise<number> {
  try {
    const reported = await createReport()
    return code === 0 ? reported : code
  } catch (error) {
    if (code === 0 || !(error instanceof Error)) throw error
    process.stderr.write(`pet-sandbox: ${error.message}\n`)
    return code
  }
}

/** The environment of the command, with the address and an API key of the sandbox. */
function environmentOf(
  { contract, keys }: Sandbox,
  origin: string,
  token: string | undefined,
): NodeJS.ProcessEnv {
  return {
    ...process.env,
    PET_SANDBOX_URL: origin + contract.basePath,
    PET_SANDBOX_KEY: usableKey(keys) ?? ANY_KEY,
    ...(token !== undefined && { PET_SANDBOX_CONTROL_TOKEN: token }),
  }
}
