/** The application of the examples. */
import '../../consumer/app.ts'
