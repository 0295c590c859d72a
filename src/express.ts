export {
  type ExpressHandler,
  type ExpressOptions,
  type ExpressRequest,
  toExpress,
} from './transports/express.ts'
export type { ExpressResponse } from './transports/write-response.ts'
