import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { toAnnotations, toSummary } from '../../report/github.ts'
import { toHtml } from '../../report/html/page.tsx'
import { reportToJUnit } from '../../report/junit.ts'
import type { Report } from '../../report/report.ts'
import { toText } from '../../report/text.ts'
import { UsageError } from '../../validation/usage-error.ts'
import { describeSystemError, systemErrorCode } from '../system-error.ts'
import { painter } from '../terminal.ts'
import type { ReportFlags } from './report-options.ts'

/** The file name for standard output. */
const STANDARD_OUTPUT = '-'

/** Writes a report to the files of the options and to the terminal, with `last` as the last line. Returns the exit code. */
export async function writeReport(
  report: Report,
  flags: ReportFlags,
  last?: string,
): Promise<number> {
  const { json, junit, html, github = false } = flags
  const isPiped = [json, junit, html].includes(STANDARD_OUTPUT)
  await writeTo(json, () => `${JSON.stringify(report, null, 2)}\n`)
  await writeTo(junit, () => reportToJUnit(report))
  await writeTo(html, () => toHtml(report))
  // If a report goes to standard output, nothing else may.
  const terminal = isPiped ? process.stderr : process.stdout
  if (!isPiped) terminal.write(`${toText(report, { paint: painter(terminal, process.env) })}\n`)
  if (github) {
    terminal.write(toAnnotations(report))
    const { GITHUB_STEP_SUMMARY: summary } = process.env
    if (summary) await withUsageError(summary, () => appendFile(summary, `${toSummary(report)}\n`))
  }

  if (last !== undefined) terminal.write(`${last}\n`)

  return report.verdict === 'failed' ? 1 : 0
}

async function writeTo(file: string | undefined, toContent: () => string): Promise<void> {
  if (file === undefined) return
  if (file === STANDARD_OUTPUT) process.stdout.write(toContent())
  else {
    await withUsageError(file, async () => {
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, toContent())
    })
  }
}

async function withUsageError(file: string, write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (cause) {
    if (systemErrorCode(cause) === 'unknown') throw cause
    throw new UsageError({
      code: 'unwritable_report',
      task: `write ${file}`,
      reason: describeSystemError(cause),
      help: 'Name another file.',
      cause,
    })
  }
}
