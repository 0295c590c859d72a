import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { worldPath } from '../../../http/world-path.ts'
import type { Exchange } from '../../../journal/exchange.ts'
import { type Page, usePage } from '../../page.ts'
import { CopyButton } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { useAction } from '../../parts/use-action.ts'
import { useLoaded } from '../../parts/use-loaded.ts'
import { toCurl } from './curl.ts'
import { hasCredential, isBodyMissing, KEY_PLACEHOLDER, sendReplay, toReplay } from './replay.ts'

interface ReplayProps {
  readonly exchange: Exchange
}

/** Copies the request as a command, or sends it again. */
export function ReplayButtons({ exchange }: ReplayProps): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  const key = hasCredential(exchange) ? KEY_PLACEHOLDER : ''
  const command = toCurl(toReplay(exchange, apiAddress(usePage()), key))

  return (
    <p class="buttons">
      <CopyButton text={command} label="Copy as curl" />
      <button type="button" onClick={() => setOpen(true)}>
        Send again…
      </button>
      {isOpen && <SendDialog exchange={exchange} onClose={() => setOpen(false)} />}
    </p>
  )
}

function SendDialog({ exchange, onClose }: ReplayProps & { onClose: () => void }): JSX.Element {
  const page = usePage()
  const { client, toasts } = page
  const keys = useLoaded(() => client.keys(), [client]).value ?? []
  const [key, setKey] = useState('')
  const { run, isBusy } = useAction()
  const isIncomplete = isBodyMissing(exchange)
  const send = async (): Promise<void> => {
    const replay = toReplay(exchange, apiAddress(page), key.trim())
    const isSent = await run(async () => {
      const status = await sendReplay(replay, page.site)
      toasts.done(`Sent ${replay.method} again. The status is ${status}.`)
    })
    if (isSent) onClose()
  }

  return (
    <Dialog title={`Send ${exchange.method} again`} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void send()
        }}
      >
        <p class="long">
          <code>{exchange.target}</code>
        </p>
        {isIncomplete && (
          <p class="callout warning">
            The journal did not keep the body, because it is longer than 16 KiB. The request is sent
            without it.
          </p>
        )}
        <Field
          label="API key"
          value={key}
          onInput={setKey}
          suggestions={keys.map((one) => one.key)}
          hint={
            hasCredential(exchange)
              ? `The journal masks keys. The request had ${exchange.key ?? 'a credential'}. Leave it empty to send none.`
              : 'The request had no key. Leave it empty to send none.'
          }
        />
        <div class="buttons">
          <button type="submit" class="primary" disabled={isBusy}>
            Send request
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/** The address of the API in the world that the page shows. */
function apiAddress({ site, client, route, store }: Page): string {
  const world = route.world === undefined ? '' : worldPath(client.name)
  return site + world + (store.state.health?.basePath ?? '')
}
