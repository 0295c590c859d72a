import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { toAnnotations, toSummary } from '../../report/github.ts'
import { toHtml } from '../../report/html/page.ts'
import { reportToJUnit } from '../../report/junit.ts'
import type { Report } from '../../report/report.ts'
import { toText } from '../../report/text.ts'
import { UsageError } from '../../validation/usage-error.ts'
import { painter } from '../log.ts'
import type { Choices } from './choices.ts'

/** In place of a file. */
const STANDARD_OUTPUT = '-'

/** Writes a report to where the choices say, and to the terminal, with `last` as its last line; gives the exit code. */
export async function writeReport(
  report: Report,
  choices: Choices,
  last?: string,
): Promise<number> {
  const { json, junit, html, github = false } = choices
  const isTaken = [json, junit, html].includes(STANDARD_OUTPUT)
  await writeTo(json, () => `${JSON.stringify(report, null, 2)}\n`)
  await writeTo(junit, () => reportToJUnit(report))
  await writeTo(html, () => toHtml(report))
  // Whoever pipes one of them wants nothing else in it.
  const terminal = isTaken ? process.stderr : process.stdout
  if (!isTaken) terminal.write(`${toText(report, { paint: painter(terminal, process.env) })}\n`)
  if (github) {
    terminal.write(toAnnotations(report))
    const { GITHUB_STEP_SUMMARY: summary } = process.env
    if (summary) await writing(summary, () => appendFile(summary, `${toSummary(report)}\n`))
  }

  if (last !== undefined) terminal.write(`${last}\n`)

  return report.verdict === 'failed' ? 1 : 0
}

async function writeTo(file: string | undefined, toContent: () => string): Promise<void> {
  if (file === undefined) return
  if (file === STANDARD_OUTPUT) process.stdout.write(toContent())
  else {
    await writing(file, async () => {
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, toContent())
    })
  }
}

async function writing(file: string, write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined
    if (code === undefined) throw cause
    throw new UsageError({
      code: 'unwritable_report',
      task: `write ${file}`,
      reason: UNWRITABLE[code] ?? `the system says ${code}`,
      help: 'Name another file.',
      cause,
    })
  }
}

const UNWRITABLE: Readonly<Record<string, string>> = {
  EISDIR: 'it is a folder',
  ENOTDIR: 'its folder is a file',
  EEXIST: 'its folder is a file',
  EACCES: 'permission denied',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
}
