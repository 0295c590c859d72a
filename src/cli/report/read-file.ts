import { readFile } from 'node:fs/promises'
import type { Contract } from '../../contract/contract.ts'
import { readHar } from '../../report/read-har.ts'
import { readReport } from '../../report/read-report.ts'
import { UsageError } from '../../validation/usage-error.ts'
import { printable } from '../log.ts'
import type { Recorded } from './recorded.ts'

/** So many hosts a notice names. */
const MOST_HOSTS = 3

/** What a file has recorded: an HTTP archive, or a report as JSON. Throws a UsageError for any other. */
export async function readRecording(file: string, contract: Contract): Promise<Recorded> {
  const value = toJson(file, await readText(file))
  const contents = readReport(value, contract.title, file)
  if (contents) return contents
  const { entries, ignored, hosts } = await readHar(value, contract, file)
  const where = hosts.slice(0, MOST_HOSTS).map(printable).join(', ')
  const more = hosts.length > MOST_HOSTS ? `, and ${hosts.length - MOST_HOSTS} more` : ''
  if (entries.length === 0 && ignored > 0) {
    throw new UsageError({
      code: 'other_contract',
      task: `report on ${file}`,
      reason: `none of its ${ignored} requests is a request to ${contract.title} (they went to ${where}${more})`,
      help: 'Name the document of that API with --openapi.',
    })
  }
  const total = entries.length + ignored
  const left = `${file}: ${ignored} of ${total} requests ${ignored === 1 ? 'is' : 'are'} not to ${contract.title}`

  return {
    recordings: [entries],
    notices: ignored === 0 ? [] : [`${left} and left out (${where}${more}).`],
  }
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown'
    const why = UNREADABLE[code] ?? `the system says ${code}`
    const isAddress = /^[\w.-]+:\d+/.test(file)
    const advice = isAddress
      ? `Write the address as http://${file}.`
      : "Give a sandbox's address, a .har file or the JSON of a report."
    throw new UsageError({
      code: 'unreadable_recording',
      task: `read ${file}`,
      reason: why,
      help: advice,
      cause,
    })
  }
}

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'the file does not exist',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
}

function toJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''))
  } catch (cause) {
    throw new UsageError({
      code: 'invalid_har',
      task: `read ${file}`,
      reason: 'the file is not valid JSON',
      help: 'Give the address of a sandbox, a .har file or the JSON of a report.',
      cause,
    })
  }
}
