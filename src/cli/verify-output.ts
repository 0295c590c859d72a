import { relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Command } from 'commander'
import { asUsageError, Mistakes } from '../document/mistake.ts'
import type { JudgedVerification, JudgeOptions } from '../verify/output/judged.ts'
import { appendSummary, STANDARD_OUTPUT, writeTo } from './report-output.ts'
import { readText } from './system-error.ts'
import { toJsonLine } from './terminal.ts'

/** The options of the command line for the result of a verification. */
export interface VerifyOutputFlags {
  /** A file; `true` for the standard output. */
  readonly json?: string | true
  readonly junit?: string
  readonly html?: string
  readonly sarif?: string
  readonly github?: boolean
  readonly accept?: readonly string[]
  readonly compare?: string
  readonly failOn?: string
}

/** Adds the options for the result of a verification. */
export function addVerifyOutputOptions(command: Command): Command {
  return command
    .optionsGroup('Result:')
    .option('--json [file]', 'write the result as JSON (default: standard output)')
    .option('--junit <file>', 'write the checks as JUnit XML (-: standard output)')
    .option('--html <file>', 'write the result as an HTML page (-: standard output)')
    .option('--sarif <file>', 'write the failed checks as SARIF 2.1.0 (-: standard output)')
    .option('--github', 'write GitHub annotations and the job summary')
    .option(
      '--accept <file>',
      'failed checks that are accepted, each with check, reason and date; repeatable',
      (file: string, earlier: readonly string[] = []) => [...earlier, file],
    )
    .option('--compare <file>', 'tell what is new and what is gone since this JSON result')
    .option(
      '--fail-on <kind>',
      'what makes the run fail: errors, warnings, new or none (default: warnings, which includes errors)',
    )
}

/** Reads the files of the options, before a run. Throws a UsageError for invalid ones. */
export async function readJudgeOptions({
  accept = [],
  compare,
  failOn,
}: VerifyOutputFlags): Promise<JudgeOptions> {
  const { readAccepted, readEarlier, readFailOn } = await import('../verify/output/judged.ts')
  const lists = await Promise.all(
    accept.map(async (file) => readAccepted(await readValue(file), file)),
  )

  return {
    accepted: lists.flat(),
    ...(compare !== undefined && { earlier: readEarlier(await readValue(compare), compare) }),
    ...(failOn !== undefined && { failOn: readFailOn(failOn, compare !== undefined) }),
  }
}

/** The value of a file in JSON or YAML. */
async function readValue(file: string): Promise<unknown> {
  const text = await readText(file, {
    code: 'unusable_file',
    task: `read ${file}`,
    help: 'Check the name of the file and its permissions.',
  })
  try {
    const { parseSettings } = await import('../document/parse-text.ts')
    return parseSettings(file, pathToFileURL(file), text).value
  } catch (error) {
    if (!(error instanceof Mistakes)) throw error
    throw asUsageError(file, error, 'unusable_file')
  }
}

/** Whether a file of the result is the standard output. Then nothing else is written there. */
export function isPiped({ junit, html, sarif, ...flags }: VerifyOutputFlags): boolean {
  return [jsonFile(flags), junit, html, sarif].includes(STANDARD_OUTPUT)
}

function jsonFile({ json }: Pick<VerifyOutputFlags, 'json'>): string | undefined {
  return json === true ? STANDARD_OUTPUT : json
}

/** What a SARIF file says about where it comes from. */
interface VerifyOutputContext {
  readonly version: string
  /** The document; absent for the shipped one. */
  readonly openapi: string | undefined
}

/** Writes a judged verification to the files of the options. `lines` are for the terminal. Returns the exit code. */
export async function writeVerification(
  judged: JudgedVerification,
  flags: VerifyOutputFlags,
  lines: readonly string[],
  { version, openapi = 'openapi.yaml' }: VerifyOutputContext,
): Promise<number> {
  const { junit, html, sarif, github = false } = flags
  const json = jsonFile(flags)
  const load = () => import('../verify/output/files.tsx')
  await writeTo(json, async () => `${toJsonLine(judged)}\n`)
  await writeTo(junit, async () => (await load()).verificationToJUnit(judged))
  await writeTo(html, async () => (await load()).verificationToHtml(judged))
  await writeTo(sarif, async () => {
    const { toSarif } = await import('../verify/output/sarif.ts')
    const document = documentAddress(openapi)
    return `${JSON.stringify(toSarif(judged, { version, document }), null, 2)}\n`
  })
  const terminal = isPiped(flags) ? process.stderr : process.stdout
  if (!isPiped(flags)) terminal.write(lines.map((line) => `${line}\n`).join(''))
  if (github) {
    const { verificationToAnnotations, verificationToSummary } = await load()
    terminal.write(verificationToAnnotations(judged))
    await appendSummary(() => verificationToSummary(judged))
  }
  if (judged.verdict === 'not-tested') return 2

  return judged.verdict === 'failed' ? 1 : 0
}

/** The address of the document: below the working directory, its path from there, because code scanning has the files of a repository. */
function documentAddress(openapi: string): string {
  if (/^[a-z]+:\/\//i.test(openapi)) return openapi
  const path = relative('.', resolve(openapi))
  return encodeURI((path.startsWith('..') ? resolve(openapi) : path).split(sep).join('/'))
}
