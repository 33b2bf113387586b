@echo off
setlocal
set NoDefaultCurrentDirectoryInExePath=1
rem The launcher for Windows: the same as ./lab elsewhere. It takes the newest Python by Python's own launcher, and where
rem that is not installed the one in the PATH; neither from the current folder.
for %%I in (py.exe) do if not "%%~$PATH:I"=="" goto launcher
python -I "%~dp0lab" %*
exit /b %ERRORLEVEL%
:launcher
py -3 -I "%~dp0lab" %*
exit /b %ERRORLEVEL%
