import { BodyTooLongError, MEBIBYTE, readBodyText } from '../http/read-body.ts'
import type { ReadError } from './mistake.ts'

/** The size limit of a file from another server, in bytes after decompression. */
const MAX_BYTES = 64 * MEBIBYTE

const TIMEOUT_MS = 10_000

const NETWORK_HELP = 'Check the URL and your network connection.'

/** Downloads a file of another server. Headers and body must arrive within ten seconds. */
export async function download(url: URL, readError: ReadError): Promise<string> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const response = await fetch(url, { signal }).catch(() => undefined)
  if (!response) throw readError('cannot be downloaded: no connection', NETWORK_HELP)
  if (!response.ok) {
    await response.body?.cancel()
    const reason = `cannot be downloaded: the server answers with status ${response.status}`
    throw readError(reason, 'Check the URL.')
  }

  return readBodyText(response, MAX_BYTES).catch((error: unknown) => {
    const limit = MAX_BYTES / MEBIBYTE
    throw error instanceof BodyTooLongError
      ? readError(
          `cannot be downloaded: the file is larger than ${limit} MiB`,
          'Save the part that you need next to the document.',
        )
      : readError('cannot be downloaded: the response is incomplete', NETWORK_HELP)
  })
}
