import type { JSX } from 'preact'
import type { GivenMessage, SentMessage } from '../../../journal/exchange.ts'
import { Code } from '../../parts/code.tsx'
import { HeaderList } from '../../parts/header-list.tsx'

interface MessageProps {
  readonly title: 'Request' | 'Response'
  readonly message: SentMessage | GivenMessage
}

/** The headers and the body of a request or response. */
export function MessageSection({ title, message }: MessageProps): JSX.Element {
  const { headers, body, bodySize } = message
  const encoding = 'encoding' in message ? message.encoding : undefined

  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      {'url' in message && (
        <p class="long">
          <code>{message.url}</code>
        </p>
      )}
      <HeaderList headers={headers} isOpen={title === 'Request'} />
      {bodySize !== undefined && (
        <p class="hint">
          The body has {bodySize.toLocaleString('en')} bytes. The journal keeps up to 16 KiB, so it
          was not kept.
        </p>
      )}
      {encoding && <p class="hint">The body is not text. These are its bytes in {encoding}.</p>}
      {body ? (
        <Code text={body} label={`${title} body`} />
      ) : (
        bodySize === undefined && <p class="hint">No body</p>
      )}
    </section>
  )
}
