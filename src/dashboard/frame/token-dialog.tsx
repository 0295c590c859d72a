import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { isBearerToken } from '../../http/bearer-token.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'

interface TokenDialogProps {
  /** Why the sandbox refused the request. */
  readonly problem: string
  readonly onToken: (token: string) => void
}

/** Asks for the token of the sandbox. The tab keeps it. */
export function TokenDialog({ problem, onToken }: TokenDialogProps): JSX.Element {
  const [token, setToken] = useState('')
  const [error, setError] = useState('')

  return (
    <Dialog title="This sandbox needs a token" onClose={() => undefined} isRequired>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          const given = token.trim()
          if (isBearerToken(given)) onToken(given)
          else setError('No HTTP header can carry this text.')
        }}
      >
        <p>{problem}</p>
        <Field
          label="Token"
          isSecret
          value={token}
          onInput={setToken}
          error={error}
          hint="The value of --control-token. It is kept until this tab is closed."
        />
        <div class="buttons">
          <button type="submit" class="primary">
            Use token
          </button>
        </div>
      </form>
    </Dialog>
  )
}
