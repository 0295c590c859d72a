import { readFile } from 'node:fs/promises'
import type { Contract } from '../../contract/contract.ts'
import { readHar } from '../../report/read-har.ts'
import { readReport } from '../../report/read-report.ts'
import { UsageError } from '../../validation/usage-error.ts'
import { describeSystemError } from '../system-error.ts'
import { printable } from '../terminal.ts'
import type { RecordedTraffic } from './recorded-traffic.ts'

/** The number of hosts that a notice names. */
const MAX_HOSTS = 3

/** Reads an HTTP archive or a JSON report. Throws a UsageError for any other file. */
export async function readRecording(file: string, contract: Contract): Promise<RecordedTraffic> {
  const value = toJson(file, await readText(file))
  const contents = readReport(value, contract.title, file)
  if (contents) return contents
  const { entries, ignored, hosts } = await readHar(value, contract, file)
  const where = hosts.slice(0, MAX_HOSTS).map(printable).join(', ')
  const more = hosts.length > MAX_HOSTS ? `, and ${hosts.length - MAX_HOSTS} more` : ''
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
    const isAddress = /^[\w.-]+:\d+/.test(file)
    const advice = isAddress
      ? `Write the address as http://${file}.`
      : "Give a sandbox's address, a .har file or the JSON of a report."
    throw new UsageError({
      code: 'unreadable_recording',
      task: `read ${file}`,
      reason: describeSystemError(cause),
      help: advice,
      cause,
    })
  }
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
