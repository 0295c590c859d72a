import { mswLoader } from 'msw-storybook-addon/csf3'
import { handlers, sandbox } from 'pet-sandbox/msw'

export default {
  loaders: [mswLoader()],
  parameters: { msw: handlers },
  beforeEach: () => sandbox.reset(),
}
