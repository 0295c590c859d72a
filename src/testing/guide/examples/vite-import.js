import { createSandbox } from 'pet-sandbox'
import contract from './api.yaml?sandbox'

export const sandbox = createSandbox({ contract })
