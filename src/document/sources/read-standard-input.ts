import { BodyTooLongError, readBodyText } from '../../http/body-limits.ts'
import type { ReadError } from '../mistake.ts'
import { MAX_BYTES, tooLarge } from './download.ts'

let input: Promise<string> | undefined

/** Reads standard input to its end, once: later calls return the same text. */
export async function readStandardInput(readError: ReadError): Promise<string> {
  if (process.stdin.isTTY) {
    const help = 'Send a document to it, for example by "cat api.yaml | pet-sandbox -".'
    throw readError('standard input is a terminal', help)
  }
  input ??= readBodyText({ body: streamOf(process.stdin) }, MAX_BYTES)
  const text = await input.catch((error: unknown) => {
    throw error instanceof BodyTooLongError
      ? tooLarge(readError)
      : readError('standard input cannot be read', 'Name a file instead of "-".')
  })
  if (text.trim() !== '') return text
  throw readError(
    'standard input is empty',
    'Send a document to it, for example by "cat api.yaml | pet-sandbox -".',
  )
}

function streamOf(stream: NodeJS.ReadStream): ReadableStream<Uint8Array> {
  const chunks = stream[Symbol.asyncIterator]()

  return new ReadableStream({
    async pull(controller): Promise<void> {
      const { done = false, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(typeof value === 'string' ? Buffer.from(value) : value)
    },
    cancel: () => void stream.destroy(),
  })
}
