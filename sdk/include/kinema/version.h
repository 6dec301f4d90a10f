#pragma once

// The SDK's version. Libraries of another major, or before 1.0 of another minor, are refused.
#define KINEMA_SDK_MAJOR 0
#define KINEMA_SDK_MINOR 1
#define KINEMA_SDK_VERSION "0.1"
